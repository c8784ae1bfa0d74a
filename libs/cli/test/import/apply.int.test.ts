import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CardinalClient, createClient } from '@cardinal/client/source';
import { eventually, type SharedStack, scratchFolder, sharedStack } from '@cardinal/testkit';
import { beforeAll, expect, it } from 'vitest';
import { importHere, runInShell, startImport } from '../run-cli.ts';
import { writeJiraExport } from './jira-export.ts';

let stack: SharedStack;
beforeAll(async () => {
  stack = await sharedStack();
});

const admin = { scope: 'kanban:admin' };

/** A workspace of its own, and the command in it. */
const workspace = async () => {
  const access = { url: stack.origin, token: await stack.token(admin) };
  const client = createClient({ baseUrl: access.url, token: access.token });
  return { access, client, run: (...args: string[]) => importHere(args, access) };
};

const boardCards = async (client: CardinalClient) => {
  const boards = await client.boards.list().all();
  const lists = boards.flatMap(({ id }) => [false, true].map((archived) => client.cards.list(id, { archived }).all()));
  return (await Promise.all(lists)).flat();
};

it('goes on where nobody reads any more what it says', async () => {
  const { csv, former } = await writeJiraExport(scratchFolder('unread'), 12);
  const { access, client } = await workspace();
  const args = ['import', '--from', 'jira', csv, '--former-keys', former, '--board', 'Website', '--apply', '--open'];
  expect(await runInShell(args, '2>&1 | true', access)).toMatchObject({ code: 0 });
  const { card } = await client.cards.getByIdentifier('old-4');
  expect(await client.cards.listDependencies(card.id).all()).toHaveLength(1);
  expect((await client.workstreams.list().all()).filter(({ adopting }) => adopting)).toEqual([]);
});

it('moves issues of Jira in with their identifiers, former ones, comments and links, and undoes it', async () => {
  const { csv, former } = await writeJiraExport(scratchFolder('apply'), 60);
  const { client, run } = await workspace();
  const args = ['--from', 'jira', csv, '--former-keys', former, '--board', 'Website'];
  const ada = crypto.randomUUID();
  expect((await run(...args)).stdout).toContain('nothing was written; to write, pass --apply');
  const file = `${csv}.import/mapping.json`;
  const mapping = JSON.parse(await readFile(file, 'utf8'));
  mapping.people['Ada Lovelace'] = ada;
  await writeFile(file, JSON.stringify(mapping));

  const { code, stdout, stderr } = await run(...args, '--apply');
  expect(stderr).not.toContain('error');
  expect(stdout).toContain('board "Website": 60 cards made, 0 already there, 0 refused');
  expect(stdout).toContain('\n19 dependencies\n');
  expect(code).toBe(0);

  const { card, is_alias, current_identifier } = await client.cards.getByIdentifier('old-4');
  expect([is_alias, current_identifier]).toEqual([true, 'WEB-13']);
  const comments = await client.comments.list(card.id).all();
  expect(card).toMatchObject({
    title: 'Pay "WEB-13" out, part 12',
    description: 'h2. Why\n{code}it broke, "again"{code}\nSee WEB-12.',
    priority: 'super_urgent',
    created_at: '2023-02-01T12:00:00.000Z',
    due_date: '2026-03-13T12:00:00.000Z',
    assignee_user_ids: [ada],
    comment_count: 2,
  });
  expect(comments.map(({ body }) => body).sort()).toEqual([
    '5b10ac8d82e05b22cc7d4e01, 2023-02-01 13:00 UTC\n\nReproduced; see WEB-13',
    '5b10ac8d82e05b22cc7d4e02, 2023-02-01 14:00 UTC\n\n"Fixed"\nin the next release',
  ]);
  const waitsFor = await client.cards.listDependencies(card.id).all();
  expect(waitsFor.map((one) => one.card.identifier)).toEqual(['WEB-12']);
  const [board] = await client.boards.list().all();
  const columns = await client.columns.list(board?.id ?? '').all();
  expect(columns.map(({ name }) => name)).toEqual(['To Do', 'In Progress', 'In Review', 'Done']);

  const planned = await run(...args, '--run', scratchFolder('planned'));
  expect(planned.stdout).toContain('in the workspace: 0 cards are new, 60 already there, 0 refused');

  // Again: nothing twice. Another import of the same rows finds each row's own card.
  expect((await run(...args, '--apply')).stdout).toContain('0 cards made, 60 already there, 0 refused');
  const elsewhere = await run(...args, '--apply', '--run', scratchFolder('elsewhere'));
  expect(elsewhere.stdout).toContain('0 cards made, 60 already there, 0 refused');
  expect(await client.comments.list(card.id).all()).toHaveLength(2);

  // What somebody touched stays.
  await client.cards.update(card, { title: 'Mine now' });
  const undone = await run(...args, '--undo', '--yes');
  expect(undone.stdout).toContain('59 cards deleted\n');
  expect(undone.stdout).toContain('left: card WEB-13: it was changed since\n');
  expect((await boardCards(client)).map(({ identifier }) => identifier)).toEqual(['WEB-13']);
  const again = await run(...args, '--apply', '--run', scratchFolder('again'));
  expect(again.stdout).toMatch(
    /jira\.csv:2 \(WEB-1\): WEB-1 is taken: its card was deleted, [\s\S]*WEB-13 is that of another card, "Mine now"\n[\s\S]*60 refused/,
  );
  expect([again.code, (await boardCards(client)).length]).toEqual([1, 1]);
});

it('goes on after it was killed, and ends up the same', async () => {
  const { csv, former } = await writeJiraExport(scratchFolder('apply'), 210);
  const { access, client, run } = await workspace();
  const args = ['--from', 'jira', csv, '--former-keys', former, '--apply', '--concurrency', '1'];
  const command = startImport(args, access);
  await eventually(async () => expect((await boardCards(client)).length).toBeGreaterThan(50));
  command.kill('SIGKILL');
  await command.ended;
  const { code, stdout } = await run(...args, '--open');
  expect(code).toBe(0);
  expect(stdout).toContain('workstream WEB is open');
  expect(stdout).toContain('workstream OLD is archived');
  const cards = await boardCards(client);
  expect(new Set(cards.map(({ identifier }) => identifier)).size).toBe(210);
  expect(cards).toHaveLength(210);
  expect(cards.reduce((sum, { comment_count }) => sum + comment_count, 0)).toBe(105);
  const workstreams = await client.workstreams.list().all();
  const web = workstreams.find(({ prefix }) => prefix === 'WEB');
  const column = cards[0]?.column_id ?? '';
  const next = await client.cards.create(column, { title: 'New', workstream_id: web?.id });
  expect(next.identifier).toBe('WEB-232');
  expect((await client.cards.getByIdentifier('SHOP-2')).is_alias).toBe(true);
  expect((await run(...args, '--open')).stdout).toContain('0 cards made, 210 already there');
});

it('keeps keys of titles, and makes comments or new numbers of further rows of a key', async () => {
  const rows = [
    'subject\tat',
    '[WEB-3] one\t2024-01-01',
    '[WEB-7] two\t2024-01-02',
    '[WEB-3] three\t2024-01-03',
    'none\t',
  ];
  const file = join(scratchFolder('apply'), 'commits.tsv');
  await writeFile(file, `${rows.join('\n')}\n`);
  const args = [
    '--from',
    'csv',
    file,
    '--title',
    'subject',
    '--map',
    'created_at=at',
    '--key-pattern',
    '\\[([A-Z]+-\\d+)\\]',
  ];
  const moved = async (sameKey: string) => {
    const { client, run } = await workspace();
    const { code, stdout } = await run(...args, '--same-key', sameKey, '--apply', '--run', scratchFolder('run'));
    expect(stdout).toContain('0 refused');
    expect(code).toBe(0);
    const cards = await boardCards(client);
    return { client, cards: cards.sort((a, b) => (a.identifier < b.identifier ? -1 : 1)) };
  };
  const named = ({ cards }: Awaited<ReturnType<typeof moved>>) => cards.map((one) => `${one.identifier} ${one.title}`);
  expect(named(await moved('number'))).toEqual([
    'MAIN-1 none',
    'WEB-3 [WEB-3] one',
    'WEB-7 [WEB-7] two',
    'WEB-8 [WEB-3] three',
  ]);
  expect(named(await moved('card'))).toEqual([
    'MAIN-1 [WEB-3] three',
    'MAIN-2 none',
    'WEB-3 [WEB-3] one',
    'WEB-7 [WEB-7] two',
  ]);
  const commented = await moved('comment');
  expect(named(commented)).toEqual(['MAIN-1 none', 'WEB-3 [WEB-3] one', 'WEB-7 [WEB-7] two']);
  const [comment] = await commented.client.comments.list(commented.cards[1]?.id ?? '').all();
  expect(comment?.body).toBe('2024-01-03 12:00 UTC\n\n[WEB-3] three');
});

it('makes checklists of Trello subtasks, and undoes board, labels and all', async () => {
  const { client, run } = await workspace();
  const args = [
    '--from',
    'trello',
    join(import.meta.dirname, 'exports/trello.json'),
    '--prefix',
    'BAKE',
    '--run',
    scratchFolder('run'),
  ];
  expect((await run(...args, '--apply')).stdout).toContain('board "Bakery": 3 cards made');
  const { card } = await client.cards.getByIdentifier('BAKE-1');
  expect(card).toMatchObject({ subtask_total: 2, subtask_completed: 1, completed_at: '2024-02-02T08:00:00.000Z' });
  const undone = await run(...args, '--undo', '--yes');
  expect(undone.stdout).toContain('3 cards deleted, and label green, label sweet, board Bakery\n');
  expect(await client.boards.list().all()).toEqual([]);
});

it('refuses a workspace in which the prefix numbers its own cards, and writes nothing', async () => {
  const { client, run } = await workspace();
  await client.workstreams.create({ name: 'Web', prefix: 'WEB' });
  const { csv } = await writeJiraExport(scratchFolder('apply'), 3);
  const { code, stdout } = await run('--from', 'jira', csv, '--apply');
  expect(code).toBe(1);
  expect(stdout).toContain('workstream WEB is there and numbers its own cards: no number can come along\n');
  expect(stdout).toContain('0 cards made, 0 already there, 3 refused');
  expect(stdout).toContain('nothing was written');
  expect(await client.boards.list().all()).toEqual([]);
});
