import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scratchFolder } from '@cardinal/testkit';
import { expect, it } from 'vitest';
import { startImport } from '../run-cli.ts';
import { writeJiraExport } from './jira-export.ts';

const nowhere = { url: 'http://127.0.0.1:9', token: '' };
const plan = (...args: string[]) => startImport(args, nowhere).ended;

const commits = [
  'hash\tsubject',
  'a\t[WEB-3] fix: one',
  'b\t[WEB-7] fix: two',
  'c\t[WEB-3] fix: one again',
  'd\tbump',
  'e\t[MAIN-4] fix: old',
  '',
].join('\n');

it('plans: counts, gaps, cycles, and every field that is left out', async () => {
  const { csv, former } = await writeJiraExport(scratchFolder('plan'), 300);
  const { code, stdout } = await plan('--from', 'jira', csv, '--former-keys', former);
  expect(code).toBe(0);
  expect(stdout).toContain('300 rows: 300 cards\n');
  expect(stdout).toMatch(/^ {2}WEB +300 +0 +330 +30 +10, 21, 32, 43, 54, …$/m);
  expect(stdout).toMatch(/^ {2}OLD +0 +34 +100 +66 +/m);
  expect(stdout).toContain('columns: To Do 75, In Progress 75, In Review 75, Done 75\n');
  expect(stdout).toContain('2 labels, 150 comments, 0 subtasks, 96 dependencies\n');
  expect(stdout).toContain('  WEB-52 > WEB-53 > WEB-52\n');
  expect(stdout).toMatch(/^ {2}Sprint +150 +cards have no such field$/m);
  expect(stdout).toMatch(/^ {2}assignees and creators +600 +the mapping has null/m);

  // What a person decides stays, and what it changes is seen in the next plan.
  const file = `${csv}.import/mapping.json`;
  const mapping = JSON.parse(await readFile(file, 'utf8'));
  expect(mapping.priorities).toMatchObject({ Highest: 'super_urgent', Low: 'nice_to_have' });
  mapping.people['Ada Lovelace'] = '0190a000-0000-7000-8000-00000000000a';
  mapping.columns = mapping.columns.filter(({ name }: { name: string }) => name !== 'In Review');
  mapping.columns[1].statuses.push('In Review');
  mapping.links.Blocks = 'leave out';
  await writeFile(file, JSON.stringify(mapping));
  const again = await plan('--from', 'jira', csv, '--former-keys', former);
  expect(again.stdout).toContain('columns: To Do 75, In Progress 150, Done 75\n');
  expect(again.stdout).toMatch(/^ {2}assignees and creators +400 /m);
  expect(again.stdout).not.toContain('cycles');
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(mapping);
});

it('lists links to what no key names, and takes no id of the tracker for a number', async () => {
  const file = join(scratchFolder('plan'), 'links.csv');
  const rows = ['Summary,Issue key,Issue id,Parent', 'One,AB-1,10001,10009', 'Two,AB-2,10002,10001', ''];
  await writeFile(file, rows.join('\n'));
  const { code, stdout } = await plan('--from', 'jira', file, '--prefix', 'WEB');
  expect(code).toBe(0);
  expect(stdout).toContain('0 subtasks, 1 dependency\n');
  expect(stdout).toMatch(/^ {2}links to unknown keys +1 +no issue has this key: 10009$/m);
  expect(stdout).toContain('1 link names an issue that is not there:\n  AB-1 names 10009\n');

  await writeFile(file, 'title,key,after\nOne,12,#9 and others\nTwo,9,\n');
  const numbers = await plan(file, '--map', 'key=key', '--map', 'blocked_by=after', '--prefix', 'WEB');
  expect(numbers.stdout).toContain('0 subtasks, 1 dependency\n');
  expect(numbers.stdout).toMatch(/^ {2}links to unknown keys +2 +no issue has this key: AND, OTHERS$/m);
  expect(numbers.stdout).toContain(
    '2 links name issues that are not there:\n  WEB-12 names AND\n  WEB-12 names OTHERS\n',
  );

  await writeFile(file, 'title,key,after\nOne,AB-1,\nOther,AB-1,AB-2\nTwo,AB-2,\n');
  const further = await plan(file, '--map', 'key=key', '--map', 'blocked_by=after', '--same-key', 'comment');
  expect(further.stdout).toMatch(/^ {2}links of further rows of a key +1 /m);
});

it('names rows whose dates contradict each other or are ahead, and takes a date without a time as noon UTC', async () => {
  const file = join(scratchFolder('plan'), 'dates.csv');
  const today = new Date().toISOString().slice(0, 10);
  const rows = [
    'title,key,created,updated,started,due,done',
    'Fine,WEB-1,2024-02-01 15:00,2024-02-01,2024-02-01 16:00,2024-02-01,2024-02-01',
    'Changed before,WEB-2,2024-02-02,2024-02-01,,,',
    'Due before,WEB-3,2024-01-01,,2024-02-02,2024-02-01,',
    'Due before it was there,WEB-4,2024-02-02,,,2024-02-01,',
    'Changed ahead,WEB-5,2024-02-02,2124-02-02,,,',
    `Of today,WEB-6,${today},${today},,,`,
  ];
  await writeFile(file, rows.join('\n'));
  const fields = ['created', 'updated', 'started'].map((name) => `${name}_at=${name}`);
  const maps = ['key=key', 'due_date=due', 'completed_at=done', ...fields].flatMap((map) => ['--map', map]);
  const { code, stdout } = await plan(file, ...maps);
  expect(code).toBe(0);
  expect(stdout).toContain('\n1 row was updated before it was created: dates.csv:3\n');
  expect(stdout).toContain('\n2 rows are due before they began: dates.csv:4, dates.csv:5\n');
  expect(stdout).toContain('\n1 row was updated in the future: dates.csv:6\n');
  expect(stdout).not.toContain('closed before');
  expect(stdout).toContain('6/7/2025 as the 7th of June, and without a time as noon UTC\n');
});

it('makes nothing of files without a row', async () => {
  const file = join(scratchFolder('plan'), 'header.csv');
  await writeFile(file, 'title,key\n,,\n');
  const { code, stdout } = await plan(file, '--map', 'key=key', '--apply');
  expect(code).toBe(1);
  expect(stdout).toContain('to decide: there is nothing to import: no row becomes a card\n');
});

it('asks what becomes of further rows of a key', async () => {
  const file = join(scratchFolder('plan'), 'commits.tsv');
  await writeFile(file, commits);
  const args = ['--from', 'csv', file, '--title', 'subject', '--key-pattern', '\\[([A-Z]+-\\d+)\\]'];
  const { code, stdout } = await plan(...args);
  expect(code).toBe(1);
  expect(stdout).toContain('collisions: 1 key has several rows, 1 beyond the first: WEB-3 2\n');
  expect(stdout).toMatch(/^ {2}MAIN +1 +0 +4 +3 /m);
  expect(stdout).toContain('1 card without a key gets numbers of MAIN, the default workstream\n');
  expect(stdout).toContain('to decide: 1 key has several rows');
  const named = [...args, '--prefix-for', 'main=OLD'];
  expect((await plan(...named, '--same-key', 'comment')).stdout).toContain('5 rows: 4 cards\n');
  const numbered = await plan(...named, '--same-key', 'number');
  expect(numbered.stdout).toContain('keys that are spelled differently here: MAIN-4 is OLD-4\n');
  expect(numbered).toMatchObject({ code: 0, stdout: expect.stringContaining('5 rows: 5 cards\n') });
});

it('names what the API would refuse, and plans without it where that is asked for', async () => {
  const file = join(scratchFolder('plan'), 'wide.csv');
  const dates = ['2024-02-02,2024-02-01', '2024-02-01,2024-02-02'];
  await writeFile(
    file,
    `Summary,Issue key,Created,Resolved\n${'x'.repeat(241)},WEB-1,\nfine,WEB-2,${dates[0]}\nok,WEB-3,${dates[1]}\n`,
  );
  const { code, stdout } = await plan('--from', 'jira', file);
  expect(code).toBe(1);
  expect(stdout).toContain('wide.csv:2: title must have at most 240 characters\n');
  expect(stdout).toContain('\n1 row was closed before it was created: wide.csv:3\n');
  expect((await plan('--from', 'jira', file, '--leave-out-refused')).stdout).toMatch(
    /^ {2}rows +1 +they cannot become/m,
  );
  expect((await plan('--from', 'jira', file, '--truncate')).stdout).toMatch(/^ {2}ends of titles +1 /m);
});

it('foresees what the API would refuse of every name, before a prefix is taken, and shortens it where that is asked for', async () => {
  const long = 'x'.repeat(119);
  const board = {
    name: `${long}👩‍👩‍👧`,
    lists: [{ id: 'a', name: `${long}👩‍👩‍👧` }],
    labels: [{ id: 'l', name: `${long}éé` }],
    checklists: [{ idCard: 'c', checkItems: [{ name: 'y'.repeat(300), state: 'incomplete' }] }],
    cards: [{ id: 'c', idShort: 1, idList: 'a', name: 'Card', idLabels: ['l'] }],
  };
  const file = join(scratchFolder('plan'), 'board.json');
  await writeFile(file, JSON.stringify(board));
  const args = ['--from', 'trello', file, '--prefix', 'CAP'];
  const refused = await plan(...args);
  expect(refused.code).toBe(1);
  expect(refused.stdout).toContain('must have at most 120 characters\n');
  expect(refused.stdout).toMatch(/to decide: the name of the board "x+…" must have at most 120 characters/);
  const { code, stdout } = await plan(...args, '--truncate');
  expect(stdout).toMatch(/column "x{119}…" is the shortened form of a name of 124 characters\n/);
  expect(stdout).toMatch(/^ {2}ends of labels +1 +--truncate\n {2}ends of subtasks +1 /m);
  expect(code).toBe(0);
  expect((await plan(...args, '--truncate')).stdout).toBe(stdout);
});

it.each([
  ['a moment ahead', 'title,key,at\nA,WEB-1,2124-01-01\n', 'created_at is in the future'],
  ['a moment before 1970', 'title,key,at\nA,WEB-1,1969-01-01\n', 'created_at must not be before 1970'],
  ['a NUL', 'title,key,at\nA\0,WEB-1,\n', 'title must not contain NUL'],
])('foresees %s', async (_, content, problem) => {
  const file = join(scratchFolder('plan'), 'rows.csv');
  await writeFile(file, content);
  const { code, stdout } = await plan(file, '--title', 'title', '--map', 'key=key', '--map', 'created_at=at');
  expect([code, stdout]).toEqual([1, expect.stringContaining(`rows.csv:2: ${problem}\n`)]);
});
