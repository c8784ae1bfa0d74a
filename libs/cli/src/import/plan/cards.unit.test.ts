import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Issue, Source } from '../issue.ts';
import { type PlannedCard, plannedCards } from './cards.ts';
import { settleMapping } from './mapping.ts';
import { type PlanRules, surveySource } from './survey.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plan-'));
});
afterAll(() => rm(folder, { recursive: true }));

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

const sourceOf = (issues: Partial<Issue>[]): Source => ({
  name: 'made up',
  statuses: [],
  notes: [],
  close: async () => {},
  async *read() {
    for (const [n, issue] of issues.entries())
      yield { issue: { ...blank, place: { file: 'f', line: n + 1 }, ...issue } };
  },
});

const planned = async (issues: Partial<Issue>[], rules: Partial<PlanRules> = {}, file = `${issues.length}.json`) => {
  const source = sourceOf(issues);
  const all = { truncate: false, ...rules };
  const survey = await surveySource(source, all);
  const mapping = await settleMapping(join(folder, crypto.randomUUID(), file), survey, [], 'Rest');
  const cards: PlannedCard[] = [];
  for await (const card of plannedCards(source, survey, mapping, all)) cards.push(card);
  return { cards, survey, mapping };
};

it('gives a former key to one card only, and to none where it is somebody’s present one', async () => {
  const { cards, survey } = await planned([
    { key: 'web-1', former: ['OLD-1', 'old-2', 'WEB-2'] },
    { key: 'WEB-2', former: ['OLD-1', 'no key'] },
  ]);
  expect(cards.map(({ name, former }) => [name, former.map(({ key }) => key)])).toEqual([
    ['WEB-1', ['OLD-1', 'OLD-2']],
    ['WEB-2', []],
  ]);
  expect([...survey.formerRefused.examples].sort()).toEqual(['OLD-1', 'WEB-2', 'no key']);
});

it('counts a row that is there twice once, and numbers rows without a key behind the highest one', async () => {
  const { cards, survey } = await planned([{ key: 'WEB-7' }, { title: 'new' }, { key: 'WEB-7' }, { title: 'new' }], {
    prefix: 'WEB',
  });
  expect(cards.map(({ identity, fields }) => `${identity?.key} ${fields.title}`)).toEqual([
    'WEB-7 x',
    'WEB-8 new',
    'WEB-9 new',
  ]);
  expect(survey.repeated).toBe(1);
});

it('completes what is in a column of completed cards when it was changed last', async () => {
  const done = { status: 'Shipped', category: 'done', updated_at: '2024-01-02T00:00:00.000Z' } as const;
  const { cards, mapping } = await planned([
    { key: 'A1-1', ...done },
    { key: 'A1-2', ...done, completed_at: '2024-01-01T00:00:00.000Z' },
    { key: 'A1-3', status: 'Later', category: 'todo' },
    { key: 'A1-4' },
  ]);
  expect(mapping.columns.map(({ name, completed }) => [name, completed])).toEqual([
    ['Later', false],
    ['Rest', false],
    ['Shipped', true],
  ]);
  expect(cards.map(({ column, completed_at }) => [column, completed_at])).toEqual([
    ['Shipped', '2024-01-02T00:00:00.000Z'],
    ['Shipped', '2024-01-01T00:00:00.000Z'],
    ['Later', null],
    ['Rest', null],
  ]);
});

it('splits a comment that is too long, and loses none of it', async () => {
  const text = '😀'.repeat(25_000);
  const { cards } = await planned([{ key: 'WEB-1', comments: [{ author: 'Ada', at: null, text }] }]);
  const bodies = cards[0]?.comments ?? [];
  expect(bodies.map((body) => body.slice(0, 5))).toEqual(['Ada\n\n', 'Ada\n\n']);
  expect(bodies.every((body) => [...body].length <= 20_000)).toBe(true);
  expect(bodies.map((body) => body.slice(5)).join('')).toBe(text);
});

it('keeps what a person decided, and adds what is new', async () => {
  const file = join(folder, 'mapping.json');
  const columns = [{ name: 'Open', statuses: ['A', 'B'], completed: false }];
  await writeFile(file, JSON.stringify({ columns, priorities: { High: 'super_urgent' }, people: {}, links: {} }));
  const issues = ['A', 'B', 'C'].map((status) => ({ status, priority: 'High', creator: 'Ada' }));
  const survey = await surveySource(sourceOf(issues), { truncate: false });
  expect(await settleMapping(file, survey, [], 'Rest')).toEqual({
    columns: [...columns, { name: 'C', statuses: ['C'], completed: false }],
    priorities: { High: 'super_urgent' },
    people: { Ada: null },
    links: {},
  });
  await writeFile(
    file,
    JSON.stringify({ columns: [...columns, { ...columns[0], name: 'Again' }], priorities: {}, people: {}, links: {} }),
  );
  await expect(settleMapping(file, survey, [], 'Rest')).rejects.toThrow('the status "A" in two columns');
});
