import { slowTexts } from '@cardinal/testkit';
import { expect, it } from 'vitest';
import { dispositionOf, isKnown, rangeOf } from '../src/transfers/download.ts';
import { addressOf, createSignedUrls } from '../src/transfers/signed-urls.ts';

const urls = createSignedUrls('https://files.test/here', { URL_SECRET: 'secret' });
const isGood = (target: string) => urls.isGood('GET', new URL(target, 'http://files.invalid'), new Date());
const id = '01890a5d-ac96-774b-bcce-b302099a8057';

/** Every parser of clients' text, with input for its loops. */
const parsers: [name: string, parse: (text: string) => unknown, starts?: string[]][] = [
  ['Range', (range) => rangeOf({ range }, '"a"', 100), ['', 'bytes=', 'bytes=1', 'bytes=1-', 'bytes=-', 'bytes=0-1,']],
  ['If-Range', (tag) => rangeOf({ range: 'bytes=0-1', 'if-range': tag }, '"a"', 100), ['', 'W/"']],
  ['If-None-Match', (header) => isKnown(header, '"a"'), ['', ',', '"', 'W/']],
  ['a path', addressOf, ['', '/files/', `/files/${id}/`, `/files/${id}/${id}/renditions/1`]],
  ['a signed URL', isGood, ['/', `/files/${id}/${id}/content?`, '/?expires=', '/?expires=1&signature=']],
  ['the name of a file', (name) => dispositionOf(name, true), ['', '"', '%']],
];

it.each(parsers)('%s takes time linear in the length of its text', (_, parse, starts) => {
  expect(slowTexts(parse, starts)).toEqual([]);
});
