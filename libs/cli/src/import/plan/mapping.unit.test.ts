import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createColumn } from '@cardinal/contracts';
import { scratchFolder } from '@cardinal/testkit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Issue, Source } from '../issue.ts';
import { type PlannedCard, plannedCards } from './cards.ts';
import { settleMapping } from './mapping.ts';
import { surveySource } from './survey.ts';
import { lengthOf, shorten } from './texts.ts';

const blank: Omit<Issue, 'place'> = {
  id: null,
  key: null,
  former: [],
  title: 'x',
  description: null,
  status: null,
  category: null,
  priority: null,
  due_date: null,
  created_at: null,
  updated_at: null,
  completed_at: null,
  archived_at: null,
  creator: null,
  assignees: [],
  labels: [],
  comments: [],
  subtasks: [],
  links: [],
};

/**
 * Names as trackers have them, and as nobody would choose them; but for the backslash. Where V8 has seen an object with such a
 * key, it reads any key that is written as one escape for it: `JSON.parse('{"\\"":0}')` then has a backslash (Node 24).
 */
const name = fc
  .oneof(
    fc.constantFrom(
      'Done',
      'Done ',
      ' done',
      'Imported',
      '',
      ' ',
      '\u00a0',
      '__proto__',
      'constructor',
      'toString',
      '\0',
      '\ud83d',
      '"',
      '\u2028',
    ),
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc
      .tuple(fc.constantFrom('x', '👩‍👩‍👧', 'é', '😀'), fc.nat(260))
      .map(([letter, count]) => `${letter.repeat(count)}😀y`),
  )
  .filter((text) => !text.includes('\\'));
const issue = fc.record({ status: fc.option(name), priority: fc.option(name), creator: fc.option(name), type: name });
const rules = { truncate: true };

it('is read again as it was written, whatever things are called', async () => {
  let run = 0;
  const folder = scratchFolder('mapping');
  await fc.assert(
    fc.asyncProperty(
      fc.array(issue, { minLength: 1, maxLength: 8 }),
      fc.array(name),
      name,
      async (issues, ordered, rest) => {
        const source: Source = {
          name: 'made up',
          statuses: ordered,
          notes: [],
          close: async () => {},
          async *read() {
            for (const [n, { type, ...one }] of issues.entries()) {
              const links = [{ type, waits: true, other: 'WEB-1' }];
              yield { issue: { ...blank, ...one, links, key: `WEB-${n + 1}`, place: { file: 'f', line: n } } };
            }
          },
        };
        run += 1;
        const file = join(folder, `${run}`, 'mapping.json');
        const survey = await surveySource(source, rules);
        const first = await settleMapping(file, survey, [...ordered, ...ordered], rest);
        const written = await readFile(file, 'utf8');
        expect(await settleMapping(file, survey, ordered, rest)).toEqual(first);
        expect(await readFile(file, 'utf8')).toBe(written);
        expect(Object.keys(first.priorities).toSorted()).toEqual([...survey.priorities.keys()].toSorted());
        const cards: PlannedCard[] = [];
        for await (const card of plannedCards(source, survey, first, rules)) cards.push(card);
        expect(cards).toHaveLength(issues.length);
        for (const { column } of cards) expect(createColumn.http.body?.safeParse({ name: column }).success).toBe(true);
      },
    ),
    { numRuns: 150 },
  );
}, 60_000);

it.each([
  ['with a byte order mark', (text: string) => Buffer.from(`\ufeff${text}`)],
  ['as PowerShell writes it', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
])('may be edited by a program that writes it %s', async (_, encode) => {
  const file = join(scratchFolder('mapping'), 'run', 'mapping.json');
  await mkdir(join(file, '..'));
  const columns = [{ name: 'Überall', statuses: [''], completed: false }];
  await writeFile(file, encode(JSON.stringify({ columns, priorities: {}, people: {}, links: {} })));
  const source: Source = {
    name: 'made up',
    statuses: [],
    notes: [],
    close: async () => {},
    async *read() {
      yield { issue: { ...blank, place: { file: 'f', line: 1 } } };
    },
  };
  expect((await settleMapping(file, await surveySource(source, rules), [], 'Rest')).columns).toEqual(columns);
});

it('shortens between characters as people see them', () => {
  const family = '👩‍👩‍👧';
  expect(shorten(`${'x'.repeat(116)}${family}y`, 120)).toBe(`${'x'.repeat(116)}…`);
  expect(shorten(`${'x'.repeat(118)}e\u0301y`, 120)).toBe(`${'x'.repeat(118)}…`);
  expect(shorten('x'.repeat(120), 120)).toBe('x'.repeat(120));
  expect(lengthOf(shorten('😀'.repeat(500), 120))).toBe(120);
  expect(lengthOf(shorten(`e${'\u0301'.repeat(500)}`, 120))).toBe(120);
});
