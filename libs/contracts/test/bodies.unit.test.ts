import { expect, it } from 'vitest';
import * as contracts from '../src/index.ts';

const emoji = (count: number) => '😀'.repeat(count);
const cards = { title: 'a' };
const workstream = { name: 'a', prefix: 'PAY' };

/** Operations with bodies that they accept and bodies that they refuse. */
const bodies: [{ http: contracts.HttpOperation }, right: unknown[], wrong: unknown[]][] = [
  [
    contracts.createCard,
    [{ title: emoji(240) }, { ...cards, description: emoji(20_000) }, { ...cards, due_date: '2024-02-29T00:00:00Z' }],
    [
      ...['', ' \t\u3000', emoji(241), 'a\0b', 'a\ud800b', 7, null].map((title) => ({ title })),
      ...['x'.repeat(20_001), '\udc00', 7].map((description) => ({ ...cards, description })),
      ...['2024-02-30T00:00:00Z', '0000-01-01T00:00:00Z', 0].map((due_date) => ({ ...cards, due_date })),
      ...[{ priority: 'high' }, { workstream_id: 'PAY' }, { identifier: 'PAY-1' }].map((more) => ({
        ...cards,
        ...more,
      })),
    ],
  ],
  [contracts.patchCard, [{ title: 'a' }, { due_date: null }], [{}, { title: null }, { description: '\udc00' }]],
  [
    contracts.moveCard,
    [{ position: 1 }, { position: 'end' }],
    [{}, { position: 'top' }, { position: 1, before_card_id: '01930000-0000-7000-8000-000000000001' }],
  ],
  [
    contracts.createWorkstream,
    [workstream, { name: 'x'.repeat(120), prefix: 'p1' }],
    [
      ...['1A', 'A', 'ABCDEFGHIJK', 'PÄY', 'P-Y'].map((prefix) => ({ ...workstream, prefix })),
      ...['', 'x'.repeat(121), undefined].map((name) => ({ ...workstream, name })),
    ],
  ],
  [
    contracts.createComment,
    [{ body: emoji(20_000) }],
    ['', ' \n\t', 'x'.repeat(20_001), 'a\0b', 7].map((body) => ({ body })),
  ],
  [contracts.createSubtask, [{ title: emoji(240) }], [{ title: ' ' }, { title: emoji(241) }, {}]],
  [
    contracts.createLabel,
    [{ name: 'a' }, { name: 'a', color: '#1d76db' }],
    [{ name: '' }, { name: 'x'.repeat(121) }, { name: 'a', color: 'red' }, { name: 'a', color: '#12345' }],
  ],
  [
    contracts.putBoardMember,
    [undefined, {}, { role: 'owner' }],
    [{ role: 'admin' }, { role: 'owner', level: 1 }, null, []],
  ],
  [
    contracts.createFile,
    [{ name: '../../etc/passwd' }, { name: emoji(255) }],
    [{}, { name: ' ' }, { name: 'x'.repeat(256) }, { name: 'a\0b' }, { name: 'x', size: 5 }],
  ],
];

it.each(bodies)('$http.id accepts the bodies of the specification, and no others', ({ http }, right, wrong) => {
  const isTaken = (body: unknown) => http.body?.safeParse(body).success;
  expect(right.filter((body) => !isTaken(body))).toEqual([]);
  expect(wrong.filter(isTaken)).toEqual([]);
});

it('a title is trimmed, a description unchanged, and a prefix in upper case', () => {
  const sent = { title: '  spaced  ', description: '  kept\r\n' };
  expect(contracts.createCardBody.parse(sent)).toMatchObject({ title: 'spaced', description: '  kept\r\n' });
  expect(contracts.createWorkstreamBody.parse({ ...workstream, prefix: 'pay' })).toMatchObject({ prefix: 'PAY' });
});
