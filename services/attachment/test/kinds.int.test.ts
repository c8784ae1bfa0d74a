import { getFileContent } from '@cardinal/contracts';
import { aCaller, whitePng } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { startHarness, uploaded } from './support/harness.ts';
import { gifOf, picture, svg } from './support/images.ts';
import { zipOf } from './support/zip.ts';

const harness = await startHarness();
const html = '<!doctype html><script>alert(document.domain)</script>';
const pdf = '%PDF-1.7\n1 0 obj\n<</OpenAction<</S/JavaScript/JS(app.alert(1))>>>>\nendobj\n%%EOF';
const bytes = (...parts: (Uint8Array | string)[]) => Buffer.concat(parts.map((part) => Buffer.from(part)));

/** The type of an animated PNG is that of any other. */
const apng = () => {
  const png = whitePng(10, 10);
  const control = Buffer.from('0000000861635 44c00000001000000003f8b8cd6'.replace(' ', ''), 'hex');
  return bytes(png.subarray(0, 33), control, png.subarray(33));
};

describe('the type of a file follows from its bytes', () => {
  it.each<[string, () => Promise<Uint8Array> | Uint8Array | string, string, 'inline' | 'attachment']>([
    ['a JPEG', () => picture('jpeg', 20, 20), 'image/jpeg', 'inline'],
    ['an animated GIF', () => gifOf(3, [10, 10]), 'image/gif', 'inline'],
    ['an animated PNG', apng, 'image/png', 'inline'],
    ['an AVIF', () => picture('avif', 20, 20), 'image/avif', 'inline'],
    ['an SVG', () => svg, 'application/xml', 'attachment'],
    [
      'an SVG without its XML declaration',
      () => svg.slice(svg.indexOf('<svg')),
      'application/octet-stream',
      'attachment',
    ],
    ['a page', () => html, 'application/octet-stream', 'attachment'],
    ['a PDF', () => pdf, 'application/pdf', 'attachment'],
    ['a zip', () => zipOf('x.txt', 'x'), 'application/zip', 'attachment'],
    ['text', () => 'hello', 'application/octet-stream', 'attachment'],
    // Valid as two types: no browser takes the stored one for the other.
    ['a GIF that is also a script', () => bytes(gifOf(1, [0x2a2f, 10]), '*/=1;alert(1)'), 'image/gif', 'inline'],
    ['a PNG with a page behind it', () => bytes(whitePng(10, 10), html), 'image/png', 'inline'],
    [
      'a JPEG with a zip after it',
      async () => bytes(await picture('jpeg', 9, 9), zipOf('x', 'x')),
      'image/jpeg',
      'inline',
    ],
    ['a page with a PDF behind it', () => bytes(html, pdf), 'application/octet-stream', 'attachment'],
  ])('%s', async (_, made, type, shown) => {
    const by = aCaller();
    const content = await made();
    const file = await uploaded(harness, by, content, 'holiday.png');
    expect(file).toMatchObject({ status: 'clean', content_type: type });
    const { url } = await harness.bus.call(getFileContent, { ...by, file_id: file.id });
    const answer = await fetch(url);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': type,
      'content-disposition': expect.stringMatching(new RegExp(`^${shown};`)),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    expect(bytes(content).equals(Buffer.from(await answer.arrayBuffer()))).toBe(true);
  });
});
