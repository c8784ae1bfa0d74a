import { type SharedStack, sharedStack } from '@cardinal/testkit';
import { beforeAll, expect, it } from 'vitest';
import { runHere } from '../run-cli.ts';
import { makeWorkspace } from './workspace.ts';

let stack: SharedStack;
let workspace: Awaited<ReturnType<typeof makeWorkspace>>;

/** Two boards Twice, each with a column To do, as Launch has; a card MAIN-1 in the first column of Launch. */
beforeAll(async () => {
  stack = await sharedStack();
  workspace = await makeWorkspace(stack);
  const { client, board } = workspace;
  await client.columns.create(board.id, { name: 'Done' });
  for (const visibility of ['workspace', 'private'] as const) {
    const twice = await client.boards.create({ name: 'Twice', visibility });
    await client.columns.create(twice.id, { name: 'To do' });
  }
});

const cardinal = (...args: string[]) => runHere(args, workspace.access);
const json = async (...args: string[]) => {
  const { code, stdout, stderr } = await cardinal(...args);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
};
const lines = async (...args: string[]) => {
  const { stdout } = await cardinal(...args);
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
};
/** What a refused command line says, and that it is wrong usage. */
const wrong = async (...args: string[]) => {
  const { code, stdout, stderr } = await cardinal(...args);
  expect([code, stdout]).toEqual([2, '']);
  return stderr.trimEnd().split('\n');
};

it('creates a card where it belongs, and finds it by what was said of it', async () => {
  const { board, column, label, me } = workspace;
  const made = await json(
    ...['cards', 'create', '--board', 'launch', 'Order the cake', '--label', 'BUG', '--assignee', 'me'],
    ...['--workstream', 'web', '--due-date', '2030-01-31T17:00:00Z', '--priority', 'urgent'],
  );
  expect(made).toMatchObject({
    identifier: 'WEB-1',
    board_id: board.id,
    column_id: column.id,
    title: 'Order the cake',
    priority: 'urgent',
    label_ids: [label.id],
    assignee_user_ids: [me.user_id],
    due_date: '2030-01-31T17:00:00.000Z',
  });
  await json('cards', 'add-dependency', 'web-1', 'PAY-7');
  const found = await lines('cards', 'list', '--board', 'Launch', '--mine', '--blocked');
  expect(found.map(({ identifier }) => identifier)).toEqual(['WEB-1']);
  const open = await lines('cards', 'list', '--no-blocked', '--label', 'bug');
  expect(open).toEqual([]);
  // A null clears; what is said beside a whole body wins over it.
  const body = JSON.stringify({ title: 'Order two cakes', priority: null });
  const updated = await json('cards', 'update', 'WEB-1', '--due-date', 'null', '--body', body, '--title', 'No cake');
  expect(updated).toMatchObject({ due_date: null, priority: null, title: 'No cake' });
});

it('moves a card to a column of its own board, and transfers it', async () => {
  const { board, client } = workspace;
  const card = await client.cards.create(workspace.column.id, { title: 'Wander' });
  const moved = await json('move', card.identifier, '--column', 'Done');
  expect(moved.board_id).toBe(board.id);
  const { identifier } = await json('transfer', card.identifier, 'OPS');
  expect(identifier).toMatch(/^OPS-/);
  const shown = await cardinal('show', card.identifier.toLowerCase());
  expect(shown).toMatchObject({ code: 0, stderr: `${card.identifier.toLowerCase()} is called ${identifier} today\n` });
  expect(JSON.parse(shown.stdout)).toMatchObject({
    card: { identifier },
    board: 'Launch',
    column: 'Done',
    dependencies: [],
    dependents: [],
    identifiers: [{ identifier: card.identifier }, { identifier }],
  });
  // The log follows the writes.
  const types = async () => (await json('show', identifier)).events.map(({ type }: { type: string }) => type);
  await expect.poll(types).toEqual(['card.created', 'card.moved', 'card.transferred']);
});

it('lists those of the same name, with what distinguishes them', async () => {
  const [first = '', ...each] = await wrong('columns', 'list', 'Twice');
  expect(first).toBe('error: 2 boards are called "Twice"; say its id:');
  expect(each).toHaveLength(2);
  expect(each[0]).toMatch(/^ {2}[0-9a-f-]{36} {2}"Twice", workspace, created \d{4}-\d\d-\d\dT\d\d:\d\dZ$/);
  expect(each[1]).toContain('"Twice", private');
  const [columns = '', ...of] = await wrong('columns', 'get', 'To do');
  expect(columns).toBe('error: 3 columns are called "To do"; say --board, or its id:');
  expect(of[0]).toContain('on board "Launch"');
  expect(await json('columns', 'get', 'To do', '--board', 'Launch')).toMatchObject({ id: workspace.column.id });
});

it('says what there is where a name is unknown', async () => {
  expect(await wrong('columns', 'list', 'Lunch')).toEqual([
    'error: no board is called "Lunch"; there are "Launch", "Twice"',
  ]);
  const [workstreams] = await wrong('workstreams', 'get', 'WEP');
  expect(workstreams).toMatch(/^error: no workstream is called "WEP"; there are "WEB \(Web\)", /);
  expect(await wrong('move', 'PAY-7', '--column', 'Dome')).toEqual([
    'error: no column is called "Dome" on board "Launch"; there are "Done", "To do"',
  ]);
  expect(await wrong('cards', 'add-assignee', 'PAY-7', 'bob')).toEqual([
    'error: nobody is known by "bob"; "cardinal people list" shows all',
  ]);
});

it('finds what is archived where nothing active is called so', async () => {
  const { client } = workspace;
  const old = await client.boards.create({ name: 'Old' });
  await json('boards', 'archive', 'Old');
  expect(await json('boards', 'restore', 'Old')).toMatchObject({ id: old.id, archived_at: null });
});

it('reports wrong values, missing ones and unknown flags in a line each, before it sends anything', async () => {
  const nowhere = { url: 'http://127.0.0.1:9', token: 'nobody' };
  const said = async (...args: string[]) => {
    const { code, stderr } = await runHere(args, nowhere);
    expect(code).toBe(2);
    return stderr.trimEnd();
  };
  expect(await said('cards', 'update', 'PAY-7', '--due-date', 'tomorrow')).toBe(
    'error: --due-date: must be an RFC 3339 date-time, such as 2030-01-31T17:00:00Z',
  );
  expect(await said('cards', 'update', 'a card', '--title', 'x')).toBe(
    'error: card "a card": must be a UUID, or an identifier such as PAY-7',
  );
  expect(await said('cards', 'update', 'PAY-7')).toMatch(/^error: must change at least one field; --help/);
  expect(await said('cards', 'update', 'PAY-7', '--title', 'x', '--version', 'new')).toMatch(/^error: --version: /);
  expect(await said('boards', 'create')).toBe('error: --name is missing');
  expect(await said('boards', 'create', '--name', 'x', '--visibility', 'secret')).toMatch(
    /^error: --visibility: .*"workspace"\|"private"/,
  );
  expect(await said('cards', 'bulk', '--cards', '[{]')).toMatch(/^error: --cards: must be JSON \(.*\)$/);
  expect(await said('cards', 'bulk', '--cards', '[{"card":"PAY-7"}]', '--archive')).toBe(
    'error: --cards.0.version: is required',
  );
  expect(await said('cards', 'create', '--board', 'Launch')).toBe('error: --title is missing');
  expect(await said('cards', 'create', 'Order the cake')).toMatch(/^error: say --board BOARD, or --column COLUMN/);
  expect(await said('cards', 'list', '--borad', 'x')).toBe(
    "error: unknown option '--borad' (Did you mean --board?); --help lists what there is",
  );
  expect(await said('cards', 'updat', 'x')).toMatch(
    /^error: unknown command 'updat' \(Did you mean update\?\); --help/,
  );
  expect(await said('boards', 'get')).toBe("error: missing required argument 'board'; --help lists what there is");
});

it('asks for anything, and says as JSON what was refused', async () => {
  const { access } = workspace;
  for (const path of [
    '/cards/PAY-7',
    'cards/PAY-7',
    '//cards/PAY-7',
    'api/kanban/v1/cards/PAY-7',
    '/api/kanban/v1/cards/PAY-7',
  ])
    expect(await json('api', 'get', path)).toMatchObject({ data: { identifier: 'PAY-7' } });
  expect(await json('api', 'POST', '/cards/PAY-7/comments', '-f', 'body=It is so.')).toMatchObject({
    data: { body: 'It is so.' },
  });
  expect(await json('api', 'GET', '/cards', '-f', 'limit=1', '-f', 'sort=created')).toMatchObject({
    page: { has_more: true },
  });
  const refused = await runHere(['api', 'PATCH', '/cards/PAY-7', '--version', '99', '-f', 'title=x'], access);
  expect(refused.code).toBe(1);
  expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'precondition_failed' } });
  expect(refused.stderr).toBe(
    'error: it was changed since; read it again, then say the version that it has now: --version 2\n',
  );
  const bash = await wrong('api', 'GET', 'C:/Program Files/Git/cards/PAY-7?x=1');
  expect(bash[0]).toMatch(/Git Bash.* without the slash before it: cards\/PAY-7\?x=1$/);
  expect((await wrong('api', 'GET', 'D:\\msys64\\api\\kanban'))[0]).toContain('Git Bash');
  expect((await wrong('api', 'GET', `${access.url}/api/kanban/v1/me`))[0]).toContain('--url');
  expect((await wrong('api', 'GET', ''))[0]).toContain('must name something');
});

it('shows as many rows as are asked for, and says where there are more', async () => {
  expect(await lines('cards', 'list', '--limit', '1')).toHaveLength(1);
  const none = await cardinal('cards', 'list', '--q', 'nothing is called so');
  expect(none).toMatchObject({ code: 0, stdout: '', stderr: 'none found\n' });
});
