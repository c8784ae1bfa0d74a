import { expect, test } from 'vitest';
import { createSignedUrls } from './signed-urls.ts';

const urls = createSignedUrls('https://files.example/', { URL_SECRET: 's'.repeat(32) });
const now = new Date('2026-01-02T03:04:05Z');
const later = (ms: number) => new Date(now.getTime() + ms);

test('a URL is good for its own method and path until it expires', () => {
  const upload = new URL(urls.upload('w', 'f', later(1000)));
  expect(upload.href).toMatch(/^https:\/\/files\.example\/files\/w\/f\/upload\?expires=\d+&signature=[\w-]{43}$/);
  expect(urls.isGood('PUT', upload, now)).toBe(true);
  expect(urls.isGood('GET', upload, now)).toBe(false);
  expect(urls.isGood('PUT', upload, later(1000))).toBe(false);

  const other = new URL(upload);
  other.pathname = '/files/w/g/upload';
  expect(urls.isGood('PUT', other, now)).toBe(false);
  const longer = new URL(upload);
  longer.searchParams.set('expires', String(later(9999).getTime()));
  expect(urls.isGood('PUT', longer, now)).toBe(false);
  expect(urls.isGood('PUT', new URL('https://files.example/files/w/f/upload'), now)).toBe(false);
});

test('another secret signs otherwise', () => {
  const foreign = createSignedUrls('https://files.example', { URL_SECRET: 't'.repeat(32) });
  expect(urls.isGood('GET', new URL(foreign.content('w', 'f', now)), now)).toBe(false);
});

test('instances whose secret is being replaced take each other’s URLs, at every step', () => {
  const [former, next] = ['f'.repeat(32), 'n'.repeat(32)];
  const signing = (secret: string, accepted?: string) =>
    createSignedUrls('https://files.example', { URL_SECRET: secret, URL_SECRET_ACCEPTED: accepted });
  const steps = [signing(former), signing(former, next), signing(next, former), signing(next)];
  const takes = (one: number, other: number) => {
    const upload = steps[one]?.upload('w', 'f', later(3_600_000)) ?? '';
    const before = steps[other]?.isGood('PUT', new URL(upload), later(3_599_999));
    expect(steps[other]?.isGood('PUT', new URL(upload), later(3_600_000))).toBe(false);
    return before;
  };
  for (const step of [0, 1, 2]) {
    expect([takes(step, step), takes(step, step + 1), takes(step + 1, step)]).toEqual([true, true, true]);
  }
  // What was signed before the secrets changed places is good until it expires, and not beyond the last step.
  expect([takes(0, 2), takes(0, 3), takes(3, 0)]).toEqual([true, false, false]);
});

test('reads in a row answer one URL, good for four minutes at least and never for more than five', () => {
  for (const at of [0, 1, 30_000, 59_999].map((ms) => new Date(now.getTime() - 5_000 + ms))) {
    for (const urlAt of [
      (when: Date) => urls.content('w', 'f', when, 'renditions/320'),
      (when: Date) => urls.content('w', 'f', when),
    ]) {
      const url = urlAt(at);
      expect(urlAt(new Date(Math.floor(at.getTime() / 60_000) * 60_000))).toBe(url);
      expect(urls.isGood('GET', new URL(url), new Date(at.getTime() + 240_000))).toBe(true);
      expect(urls.isGood('GET', new URL(url), new Date(at.getTime() + 300_000))).toBe(false);
    }
  }
});

test('a public URL may have a path of its own, which a proxy may keep or strip', () => {
  const proxied = createSignedUrls('https://example.com/storage', { URL_SECRET: 's'.repeat(32) });
  const url = new URL(proxied.content('w', 'f', now));
  expect(url.pathname).toBe('/storage/files/w/f/content');
  expect(proxied.isGood('GET', url, now)).toBe(true);
  url.pathname = '/files/w/f/content';
  expect(proxied.isGood('GET', url, now)).toBe(true);
});
