import { expect, it } from 'vitest';
import { createWebhookBody } from './webhook.ts';

const read = (url: string) => createWebhookBody.safeParse({ url });
const refusals = (url: string) => read(url).error?.issues.map(({ path, message }) => [path, message]);

it.each([
  ['https://a.example', 'https://a.example/'],
  ['HTTPS://A.example:443/b?c', 'https://a.example/b?c'],
  ['https://a.example/é', 'https://a.example/%C3%A9'],
])('%s is a URL of a webhook, written as %s', (url, written) => {
  expect(read(url).data?.url).toBe(written);
  // The service parses what the gateway wrote.
  expect(read(written).data?.url).toBe(written);
});

it.each([
  ...['', 'a.example', 'ftp://a.example', 'https://', 'https:///a.example', ' https://a.example', 'https://a.example '],
  ...['https://a.example/\0', 'https://a.example/a\nb', 'https://a.example/a\tb', 'https://a.example/\ud800'],
])('%j is none', (url) => {
  expect(refusals(url)).toEqual([[['url'], 'must be a URL that begins with https://']]);
});

it.each(['https://a@a.example', 'https://:a@a.example', 'https://@a.example'])('%s names a user', (url) => {
  expect(refusals(url)).toEqual([[['url'], 'must have neither user nor password']]);
});

it.each(['https://a.example/#a', 'https://a.example/#'])('%s has a fragment', (url) => {
  expect(refusals(url)).toEqual([[['url'], 'must have no fragment']]);
});

it('is limited by its normalized length', () => {
  const room = 2_048 - 'https://a.example/'.length;
  expect(refusals(`https://a.example/${'a'.repeat(room)}`)).toBeUndefined();
  // The first one gets a slash, and each letter of the second takes six characters.
  for (const url of [`https://a.example?${'a'.repeat(room)}`, `https://a.example/${'é'.repeat(room / 6 + 1)}`]) {
    expect(refusals(url)).toEqual([[['url'], expect.stringContaining('2048')]]);
  }
});
