import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scratchFolder } from '@cardinal/testkit';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../src/errors.ts';
import type { Issue } from '../../src/import/issue.ts';
import { declareOptions, readOptions } from '../../src/import/options.ts';
import { openSource } from '../../src/import/sources/open.ts';
import { writeJiraExport } from './jira-export.ts';

const exported = (name: string) => join(import.meta.dirname, 'exports', name);

/** What a source reads: issues by their keys, problems, and how often each field is left out. */
const readAll = async (...args: string[]) => {
  const command = declareOptions(new Command()).parse(args, { from: 'user' });
  const source = await openSource(readOptions(command.args, command.opts(), '/'));
  const leftOut: Record<string, number> = {};
  const issues: Issue[] = [];
  const problems: string[] = [];
  const count = (field: string) => {
    leftOut[field] = (leftOut[field] ?? 0) + 1;
  };
  for await (const read of source.read({ count })) {
    if ('issue' in read) issues.push(read.issue);
    else problems.push(`${read.place.line}: ${read.problem}`);
  }
  await source.close();
  const issue = (key: string) => issues.find((one) => one.key === key);
  return { source, issues, issue, problems, leftOut };
};

const scratchFile = async (name: string, content: string) => {
  const file = join(scratchFolder('sources'), name);
  await writeFile(file, content);
  return file;
};

describe('Tables', () => {
  it('reads files that were put together: marks within and headers that come again are no text', async () => {
    const part = (row: string) => `\ufeff"Summary","Issue key"\n${row}\n`;
    const file = await scratchFile('both.csv', `\ufeff${part('One,WEB-1')}${part('Two,WEB-2')}`);
    const { issues, problems } = await readAll('--from', 'jira', file);
    expect(problems).toEqual([]);
    expect(issues.map(({ key, title }) => [key, title])).toEqual([
      ['WEB-1', 'One'],
      ['WEB-2', 'Two'],
    ]);
  });

  it('keeps byte order marks within texts', async () => {
    const rows = ['"One\ufefftwo","\ufeffSummary\n\ufeffis a word"', `Long,${'\ufeff'.repeat(300_000)}x`];
    const file = await scratchFile('marked.csv', `\ufeffSummary,Description\n${rows.join('\n')}\n`);
    const { issues } = await readAll('--from', 'jira', file);
    expect(issues.map(({ title, description }) => [title, description?.length])).toEqual([
      ['One\ufefftwo', '\ufeffSummary\n\ufeffis a word'.length],
      ['Long', 300_001],
    ]);
  });

  it('takes what stands for nothing as nothing: dates that are null, lists without an element', async () => {
    const file = await scratchFile('null.csv', 'title,due,closed,people\nOne,null,n/a,[]\nTwo,-,2024-03-01,Ann\n');
    const maps = ['--map', 'due_date=due', '--map', 'completed_at=closed', '--map', 'assignees=people'];
    const { issues, problems } = await readAll('--from', 'csv', file, ...maps);
    expect(problems).toEqual([]);
    expect(issues).toMatchObject([
      { due_date: null, completed_at: null, assignees: [] },
      { due_date: null, completed_at: '2024-03-01T12:00:00.000Z', assignees: ['Ann'] },
    ]);
  });
});

describe('JSON', () => {
  it('is no export where nothing is in it', async () => {
    const file = await scratchFile('empty.json', '');
    await expect(readAll('--from', 'github', '--prefix', 'WEB', file)).rejects.toThrow('it is empty');
  });

  it('has comments that came along with a copied card', async () => {
    const id = '5a6edf860000000000000001';
    const data = { text: 'as before', card: { id } };
    const board = {
      name: 'B',
      lists: [],
      cards: [{ id, idShort: 1, name: 'A' }],
      actions: [
        { type: 'copyCommentCard', date: '2024-03-01T09:00:00.000Z', memberCreator: { username: 'ann' }, data },
      ],
    };
    const file = await scratchFile('copied.json', JSON.stringify(board));
    const { issue, leftOut } = await readAll('--from', 'trello', '--prefix', 'WEB', file);
    expect(issue('WEB-1')?.comments).toEqual([{ author: 'ann', at: '2024-03-01T09:00:00.000Z', text: 'as before' }]);
    expect(leftOut).toEqual({});
  });
});

describe('Jira', () => {
  it('reads repeated columns, links of both directions, comments, dates and former keys', async () => {
    const { csv, former } = await writeJiraExport(scratchFolder('sources'), 24);
    const { issue, issues, leftOut } = await readAll('--from', 'jira', csv, '--former-keys', former);
    expect(issues).toHaveLength(24);
    expect(issue('WEB-13')).toMatchObject({
      id: '10012',
      former: ['OLD-4'],
      status: 'To Do',
      category: 'todo',
      priority: 'Highest',
      due_date: '2026-03-13T12:00:00.000Z',
      created_at: '2023-02-01T12:00:00.000Z',
      completed_at: null,
      creator: 'Grace Hopper',
      assignees: ['Ada Lovelace'],
      labels: ['payments', 'ux'],
      description: expect.stringContaining('{code}it broke, "again"{code}\nSee WEB-12.'),
      comments: [
        { author: '5b10ac8d82e05b22cc7d4e01', at: '2023-02-01T13:00:00.000Z', text: 'Reproduced; see WEB-13' },
        { author: '5b10ac8d82e05b22cc7d4e02', at: '2023-02-01T14:00:00.000Z', text: '"Fixed"\nin the next release' },
      ],
      links: [{ type: 'Blocks', waits: true, other: 'WEB-12' }],
    });
    expect(issue('WEB-8')?.links).toEqual([{ type: 'Blocks', waits: false, other: 'WEB-9' }]);
    expect(issue('WEB-7')?.links).toEqual([{ type: 'Parent', waits: false, other: 'WEB-6' }]);
    expect(leftOut).toMatchObject({ 'Issue Type': 24, Sprint: 12, Attachment: 2, 'Custom field (Story Points)': 8 });
  });

  it('reads the columns of another language where they are named, a byte order mark, and days that come first', async () => {
    const csv = '\ufeffResumen,Clave de incidencia,Creada\nUno,WEB-1,6/7/2025 16:14\nDos,WEB-2,21/7/2025 16:15\n';
    const file = await scratchFile('es.csv', csv);
    const maps = ['--title', 'Resumen', '--map', 'key=clave de incidencia', '--map', 'created_at=Creada'];
    const { issue, source } = await readAll('--from', 'jira', file, ...maps, '--time-zone', 'Europe/Madrid');
    expect(issue('WEB-1')).toMatchObject({ title: 'Uno', created_at: '2025-07-06T14:14:00.000Z' });
    expect(source.notes[0]).toContain('Europe/Madrid');
  });

  it('knows links and categories that are worded in another language, and says which it does not know', async () => {
    const csv =
      'Résumé,Clé,Créée,Bloqué par,Bloque,Catégorie\nA,FRX-1,2024-03-01,FRX-2,,Terminé\nB,FRX-2,2024-03-01,,FRX-3 FRX-4,A faire\nC,FRX-3,2024-03-01,,,Done\n';
    const maps = [
      'title=Résumé',
      'key=Clé',
      'created_at=Créée',
      'blocked_by=Bloqué par',
      'blocks=Bloque',
      'category=Catégorie',
    ];
    const args = maps.flatMap((one) => ['--map', one]);
    const { issue, leftOut } = await readAll('--from', 'jira', await scratchFile('fr.csv', csv), ...args);
    expect(['FRX-1', 'FRX-2', 'FRX-3'].map((key) => issue(key)?.category)).toEqual([null, null, 'done']);
    expect(issue('FRX-1')?.links).toEqual([{ type: 'Blocks', waits: true, other: 'FRX-2' }]);
    expect(issue('FRX-2')?.links).toMatchObject([
      { waits: false, other: 'FRX-3' },
      { waits: false, other: 'FRX-4' },
    ]);
    expect(leftOut).toEqual({ 'Catégorie: Terminé': 1, 'Catégorie: A faire': 1 });
  });

  it('takes former keys out of what the REST API says of changes', async () => {
    const file = await scratchFile('a.csv', 'Summary,Issue key\nOne,WEB-1\n');
    const moves = [
      { created: '2024-02-01T00:00:00.000+0000', items: [{ field: 'Key', fromString: 'SHOP-5', toString: 'WEB-1' }] },
      { created: '2023-02-01T00:00:00.000+0000', items: [{ field: 'Key', fromString: 'OLD-9', toString: 'SHOP-5' }] },
      { created: '2023-01-01T00:00:00.000+0000', items: [{ field: 'status', fromString: 'To Do', toString: 'Done' }] },
    ];
    const answer = { startAt: 0, issues: [{ key: 'WEB-1', changelog: { histories: moves } }] };
    const former = await scratchFile('former.json', JSON.stringify(answer));
    expect((await readAll('--from', 'jira', file, '--former-keys', former)).issue('WEB-1')?.former).toEqual([
      'OLD-9',
      'SHOP-5',
    ]);
  });

  it('names rows that it cannot read', async () => {
    const csv =
      'Summary,Issue key,Created\nOne,WEB-1,yesterday\nTwo,WEB-2,11/May/24,more\nThree,WEB-3,11/May/24 03:26 PM\n';
    const { problems, issues } = await readAll('--from', 'jira', await scratchFile('b.csv', csv));
    expect(problems).toEqual([
      '2: created_at is no date: yesterday, in the column "Created"',
      '3: 4 fields where the header has 3',
    ]);
    expect(issues).toHaveLength(1);
  });
});

it('reads Linear', async () => {
  const { issue, leftOut } = await readAll('--from', 'linear', exported('linear.csv'));
  expect(issue('PAY-3')).toMatchObject({
    description: 'Two\nlines, “quoted”',
    status: 'In Progress',
    category: 'doing',
    labels: ['bug', 'money back'],
    assignees: ['grace@example.org'],
    due_date: '2026-06-01T12:00:00.000Z',
    created_at: '2026-05-13T11:21:41.000Z',
    links: [
      { type: 'Parent', waits: false, other: 'PAY-1' },
      { type: 'Blocks', waits: true, other: 'PAY-2' },
      { type: 'Blocks', waits: true, other: 'PAY-9' },
    ],
  });
  expect(issue('PAY-2')).toMatchObject({
    category: 'done',
    completed_at: '2026-05-12T10:00:00.000Z',
    archived_at: '2026-05-15T10:00:00.000Z',
    links: [{ type: 'Related to', waits: false, other: 'PAY-3' }],
  });
  expect(issue('PAY-1')?.category).toBe('todo');
  expect(leftOut).toEqual({
    Updated: 3,
    Started: 1,
    Team: 3,
    Estimate: 1,
    'Project ID': 1,
    Project: 1,
    'Time in status (minutes)': 1,
  });
});

it('reads GitHub, as its command line and its REST API write it, pages one after the other', async () => {
  const pages = ['github.json', 'github-rest.json'].map((name) => readFile(exported(name), 'utf8'));
  const file = await scratchFile('issues.json', (await Promise.all(pages)).join(''));
  const { issue, issues, leftOut } = await readAll('--from', 'github', file, '--prefix', 'web');
  expect(issues).toHaveLength(2);
  expect(issue('WEB-7')).toMatchObject({
    description: 'Since "Monday" [all] {of} them.\r\n',
    status: 'Closed',
    created_at: '2026-02-01T09:00:00.000Z',
    completed_at: '2026-02-03T10:00:00.000Z',
    creator: 'ada',
    assignees: ['grace'],
    labels: ['bug'],
    comments: [{ author: 'grace', at: '2026-02-03T09:59:00.000Z', text: 'Fixed in #12' }],
    links: [{ type: 'Parent', waits: false, other: 'WEB-4' }],
  });
  expect(issue('WEB-4')).toMatchObject({ status: 'Open', labels: ['epic'], creator: 'ada', completed_at: null });
  expect(leftOut).toMatchObject({ milestone: 1, stateReason: 1, comments: 1, url: 1, 'pull requests': 1 });
});

it('reads a board of Trello, the bottom of each list first', async () => {
  const { source, issue, issues, leftOut } = await readAll(
    '--from',
    'trello',
    exported('trello.json'),
    '--prefix',
    'BAKE',
  );
  expect([source.name, source.statuses]).toEqual(['Bakery', ['To bake', 'Baked', 'Old ideas']]);
  expect(issues.map(({ key }) => key)).toEqual(['BAKE-1', 'BAKE-3', 'BAKE-2']);
  expect(issue('BAKE-1')).toMatchObject({
    status: 'Baked',
    created_at: '2024-01-29T12:54:24.000Z',
    completed_at: '2024-02-02T08:00:00.000Z',
    creator: 'ada',
    assignees: ['ada'],
    labels: ['green'],
    comments: [{ text: 'First' }, { text: 'Second', at: '2024-01-31T08:00:00.000Z' }],
    subtasks: [
      { title: 'Knead', completed: true },
      { title: 'Bake', completed: false },
    ],
  });
  expect(issue('BAKE-2')?.archived_at).toBe('2024-02-03T07:00:00.000Z');
  expect(issue('BAKE-3')).toMatchObject({ status: 'Old ideas', archived_at: '2024-02-04T08:00:00.000Z' });
  expect(leftOut).toMatchObject({ attachments: 1, 'checklists: name': 1, 'actions: updateCard': 1 });
});

it('reads any table: keys out of titles, and the columns that are named', async () => {
  const file = await scratchFile(
    'c.tsv',
    'hash\twhen\tsubject\na\t2025-12-04T14:45:43+05:30\t[WEB-5576] fix\nb\t2025-12-05\tbump\n',
  );
  const args = ['--title', 'subject', '--key-pattern', '\\[([A-Z]+-\\d+)\\]', '--map', 'created_at=when'];
  const { issues, leftOut } = await readAll('--from', 'csv', file, ...args);
  expect(issues).toMatchObject([
    { key: 'WEB-5576', title: '[WEB-5576] fix', created_at: '2025-12-04T09:15:43.000Z' },
    { key: null, created_at: '2025-12-05T12:00:00.000Z' },
  ]);
  expect(leftOut).toEqual({ hash: 2 });
});

it.each([
  [
    'a column that is not there',
    ['--from', 'csv', '--title', 'subjekt'],
    'no column "subjekt"; did you mean "subject"?',
  ],
  [
    'no titles, as where columns are named in another language',
    ['--from', 'jira', '--prefix', 'WEB'],
    'no column "Summary"; say which one has the titles, in whatever language, with --map title=COLUMN; the file has "',
  ],
  ['another kind of file', ['--from', 'github', '--prefix', 'WEB'], 'it ends in the middle|an array of objects'],
  ['no board', ['--from', 'trello', '--prefix', 'WEB'], 'cannot read'],
  ['no prefix', ['--from', 'github'], 'choose one with --prefix'],
])('says in one line what is wrong: %s', async (_, args, message) => {
  const file = await scratchFile('d.csv', '{"subject"\n[1');
  const good = await scratchFile('e.csv', 'subject\none\n');
  const table = args.includes('csv') || args.includes('jira');
  await expect(readAll(...args, table ? good : file)).rejects.toThrow(new RegExp(message.replace('?', '\\?')));
  await expect(readAll(...args, table ? good : file)).rejects.toThrow(CliError);
});

const publicBoard = {
  name: ' ',
  lists: [
    { id: 'a', name: 'Done' },
    { id: 'b', name: 'Done', closed: null },
    { id: 'c', name: ' ' },
  ],
  cards: [
    {
      id: 'old',
      idList: 'a',
      name: 'One',
      desc: null,
      due: '',
      labels: [{ name: '', color: 'sky' }],
      idMembers: ['gone'],
    },
    {
      id: '5a6edf860000000000000001',
      idShort: 2,
      idList: 'c',
      name: 'Two',
      pos: 'top',
      start: '2024-01-01T00:00:00Z',
      isTemplate: true,
    },
  ],
  checklists: null,
  labels: null,
  actions: [{ type: 'commentCard', data: {} }],
};

it('needs of a board no more than its cards, and says which lists become one', async () => {
  const file = await scratchFile('old board.json', `\ufeff${JSON.stringify(publicBoard)}`);
  const { source, issues, leftOut } = await readAll('--from', 'trello', '--prefix', 'OLD', file);
  expect([source.name, source.notes]).toEqual([
    'old board',
    ['2 lists are called "Done": their cards come into one column'],
  ]);
  expect(issues).toMatchObject([
    { key: 'OLD-2', status: ' ', created_at: '2018-01-29T08:47:02.000Z' },
    { key: null, status: 'Done', created_at: null, due_date: null, labels: ['sky'], assignees: ['gone'] },
  ]);
  expect(leftOut).toEqual({ start: 1, isTemplate: 1, 'actions: commentCard': 1 });
});

it('needs of an issue of GitHub no more than its number and title', async () => {
  const file = await scratchFile(
    'bare.json',
    '[{"number": 7, "title": "A", "labels": [{"name": null}], "assignees": [null], "user": {}, "comments": [{}]}]',
  );
  expect((await readAll('--from', 'github', '--prefix', 'GH', file)).issues).toMatchObject([
    { key: 'GH-7', status: 'Open', labels: [] },
  ]);
});

it('takes names in the place of people, as `gh api --jq` writes them', async () => {
  const issue = { number: 7, title: 'A', user: 'ada', assignees: ['bob', ''], labels: ['ui'] };
  const file = await scratchFile('jq.json', JSON.stringify([issue]));
  const { issues, leftOut } = await readAll('--from', 'github', '--prefix', 'GH', file);
  expect(issues).toMatchObject([{ key: 'GH-7', creator: 'ada', assignees: ['bob'], labels: ['ui'] }]);
  expect(leftOut).toEqual({});
});

it('says in one line what a board is not, and a list of former keys', async () => {
  const [board, keys] = await Promise.all([scratchFile('board.json', '{}'), scratchFile('keys.json', '[{}]')]);
  const csv = await scratchFile('rows.csv', 'title\nA\n');
  await expect(readAll('--from', 'trello', '--prefix', 'WEB', board)).rejects.toThrow(
    /^\S+ is not a board of Trello as JSON: [^\n]{50,}$/,
  );
  await expect(readAll(csv, '--former-keys', keys)).rejects.toThrow(/^\S+ is not what Jira's REST API answers [^\n]+$/);
});
