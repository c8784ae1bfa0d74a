import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Card, type CardinalClient, createClient } from '@cardinal/client/source';
import { type SharedStack, scratchFolder, sharedStack } from '@cardinal/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { importHere, startCli, startImport } from '../run-cli.ts';

let stack: SharedStack;
beforeAll(async () => {
  stack = await sharedStack();
});

/** A workspace of its own, a file, and the command that makes cards of its rows. */
const workspace = async (file = 'rows.csv', content = 'subject\none\ntwo\n') => {
  const id = crypto.randomUUID();
  const access = { url: stack.origin, token: await stack.token({ workspace: id, scope: 'kanban:admin' }) };
  const path = join(scratchFolder('import'), file);
  await writeFile(path, content);
  const client = createClient({ baseUrl: access.url, token: access.token });
  const args = (more: string[]) => [path, '--title', 'subject', '--apply', ...more];
  return { access, client, path, id, run: (...more: string[]) => importHere(args(more), access) };
};

const boardCards = async (client: CardinalClient): Promise<Card[]> => {
  const boards = await client.boards.list().all();
  const cards = await Promise.all(boards.map(({ id }) => client.cards.list(id).all()));
  const number = ({ identifier }: Card) => Number(identifier.split('-')[1]);
  return cards.flat().sort((a, b) => number(a) - number(b));
};

describe('rows without a key', () => {
  it('are numbered in their order, equal ones each for itself, and not again', async () => {
    const titles = Array.from({ length: 30 }, (_, n) => (n % 10 < 2 ? 'same' : `Row ${n}`));
    const { client, run } = await workspace('ordered.csv', `subject\n${titles.join('\n')}\n`);
    expect(await run()).toMatchObject({ code: 0, stdout: expect.stringContaining('30 cards made, 0 already there') });
    expect((await boardCards(client)).map(({ title }) => title)).toEqual(titles);
    expect((await run()).stdout).toContain('0 cards made, 30 already there');
    expect(await boardCards(client)).toHaveLength(30);
  });

  it('keep their dates in a workspace without cards, and go by hundreds', async () => {
    const rows = Array.from({ length: 250 }, (_, n) => `Row ${n},2020-01-${String(1 + (n % 28)).padStart(2, '0')}`);
    const { client, run, access } = await workspace('dated.csv', `subject,at\n${rows.join('\n')}\n`);
    const dated = ['--map', 'created_at=at'];
    const done = await run(...dated);
    expect(done).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('250 cards made, 0 already there, 0 refused'),
    });
    expect(done.stdout).toContain(
      'MAIN, the default workstream, accepts no other cards until you run --apply --open\n',
    );
    const cards = await boardCards(client);
    expect(cards.map(({ identifier }) => identifier)).toEqual(rows.map((_, n) => `MAIN-${n + 1}`));
    expect(cards.map(({ title, created_at }) => `${title},${created_at.slice(0, 10)}`)).toEqual(rows);
    const column = cards[0]?.column_id ?? '';
    await expect(client.cards.create(column, { title: 'New' })).rejects.toMatchObject({ code: 'conflict' });
    // Another run of the same file, whose journal is lost, finds them.
    expect((await run(...dated, '--run', join(scratchFolder('run'), 'run'))).stdout).toContain(
      '0 cards made, 250 already there',
    );
    const opened = await run(...dated, '--open');
    expect(opened.stdout).toContain('workstream MAIN is open and numbers its next cards itself\n');
    expect(opened.stdout).not.toContain('takes no other cards');
    expect(await client.cards.create(column, { title: 'New' })).toMatchObject({ identifier: 'MAIN-251' });
    // The workspace has cards now.
    const more = join(scratchFolder('apply'), 'more.csv');
    await writeFile(more, 'subject,at\nLate,2020-02-01\n');
    const again = ['--title', 'subject', ...dated];
    expect((await importHere([more, ...again], access)).stdout).toContain('dates of creation of 1 card are left out: ');
    expect((await importHere([more, ...again, '--apply'], access)).stdout).toContain('1 card made');
    expect((await boardCards(client)).at(-1)).toMatchObject({ identifier: 'MAIN-252', title: 'Late' });
  });

  it('are numbered one by one where the token may not adopt', async () => {
    const { client, path, id } = await workspace('plain.csv', 'subject\nFirst\nSecond\n');
    const access = {
      url: stack.origin,
      token: await stack.token({ workspace: id, scope: 'kanban:read kanban:write' }),
    };
    const done = await importHere([path, '--title', 'subject', '--apply'], access);
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('2 cards made') });
    expect(done.stdout).not.toContain('takes no other cards');
    expect((await boardCards(client)).map(({ identifier }) => identifier)).toEqual(['MAIN-1', 'MAIN-2']);
  });

  it('become one card each when two run at once', async () => {
    const { access, client, path, run } = await workspace('both.csv', `subject\n${'same\n'.repeat(10)}`);
    const folders = [1, 2].map(() => join(scratchFolder('run'), 'run'));
    const ends = await Promise.all(folders.map((folder) => run('--run', folder)));
    expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    expect(await boardCards(client)).toHaveLength(10);
    expect(await client.boards.list().all()).toHaveLength(1);
    // What an undo deleted is created anew, though the service remembers the keys.
    const undo = (folder: string) =>
      importHere([path, '--title', 'subject', '--undo', '--yes', '--run', folder], access);
    // Each of the two may have made some of the cards, and the board.
    const undone = [await undo(folders[0] ?? ''), await undo(folders[1] ?? '')].map(({ stdout }) => stdout);
    const deleted = undone.map((text) => Number(/(\d+) cards? deleted/.exec(text)?.[1] ?? 0));
    expect(deleted.reduce((sum, count) => sum + count)).toBe(10);
    expect(undone.join('\n')).toContain(
      'left: workstream MAIN: it takes cards of imports alone until "cardinal workstreams open MAIN"',
    );
    // The first undo keeps a board with cards of the other run. Its journal keeps it too, for a second undo.
    if (undone[0]?.includes('left: board')) await undo(folders[0] ?? '');
    expect(await client.boards.list().all()).toEqual([]);
    expect((await run('--run', folders[0] ?? '')).stdout).toContain('10 cards made');
    expect(await boardCards(client)).toHaveLength(10);
  });

  it('leave a board with cards of another run to a second undo', async () => {
    const { access, client, path, run } = await workspace('first.csv', 'subject\nFirst\n');
    const second = join(scratchFolder('apply'), 'second.csv');
    await writeFile(second, 'subject\nSecond\n');
    const another = ['--title', 'subject', '--board', 'first', '--run', join(scratchFolder('run'), 'run')];
    await run();
    expect((await importHere([second, ...another, '--apply'], access)).stdout).toContain('1 card made');
    const undo = () => importHere([path, '--title', 'subject', '--undo', '--yes'], access);
    expect((await undo()).stdout).toMatch(/\n1 card deleted\n[\s\S]*left: board .*: cards are on it\n/);
    expect((await importHere([second, ...another, '--undo', '--yes'], access)).stdout).toContain('1 card deleted\n');
    expect(await client.boards.list().all()).toHaveLength(1);
    expect((await undo()).stdout).toMatch(/^0 cards deleted, and board /);
    expect(await client.boards.list().all()).toEqual([]);
    expect((await undo()).stderr).toContain('lists nothing that the import created');
  });

  it('take what their columns say', async () => {
    const ada = crypto.randomUUID();
    const rows = `subject,due,urgency,tags,owner,done,state\nA,2026-02-01,urgent,"bug, ui",${ada},2026-01-01,Shut\nB,,,ui,,,Open\n`;
    const { client, run } = await workspace('mapped.csv', rows);
    const bug = await client.labels.create({ name: 'bug' });
    const fields = {
      due_date: 'due',
      priority: 'urgency',
      labels: 'tags',
      assignees: 'owner',
      completed_at: 'done',
      status: 'state',
    };
    const maps = Object.entries(fields).flatMap(([field, column]) => ['--map', `${field}=${column}`]);
    expect((await run(...maps)).code).toBe(0);
    const labels = new Map((await client.labels.list().all()).map(({ name, id }) => [name, id]));
    expect(labels.get('bug')).toBe(bug.id);
    const [a, b] = await boardCards(client);
    expect(a).toMatchObject({ due_date: '2026-02-01T12:00:00.000Z', priority: 'urgent', assignee_user_ids: [ada] });
    expect(a?.label_ids.toSorted()).toEqual([...labels.values()].sort());
    expect([a?.completed_at === null, b?.completed_at]).toEqual([false, null]);
    const columns = await client.columns.list(a?.board_id ?? '').all();
    expect(columns.map(({ name }) => name)).toEqual(['Open', 'Shut']);
  });

  it('leave no copy of standard input behind when they are stopped', async () => {
    const { access } = await workspace();
    const folder = scratchFolder('temporary');
    const args = ['import', '-', '--title', 'subject', '--board', 'Piped', '--run', join(folder, 'run')];
    for (const [signal, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const) {
      const command = startCli(args, access, [], { TMPDIR: folder });
      command.input.write('subject\nsecret\n');
      await expect.poll(() => readdirSync(folder)).toHaveLength(1);
      command.kill(signal);
      expect((await command.ended).code).toBe(code);
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  it('come from standard input too', async () => {
    const { access, client } = await workspace();
    const run = join(scratchFolder('run'), 'run');
    const command = startImport(['-', '--title', 'subject', '--board', 'Piped', '--apply', '--run', run], access);
    command.input.end('subject;n\nFirst;1\nSecond;2\n');
    expect(await command.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('2 cards made') });
    expect((await boardCards(client)).map(({ title }) => title)).toEqual(['First', 'Second']);
  });
});

it('holds a few rows in memory, however long they are', async () => {
  const { access } = await workspace();
  const args = ['-', '--title', 'subject', '--board', 'Large', '--run', join(scratchFolder('run'), 'run')];
  const command = startImport(args, access, ['--max-old-space-size=32']);
  const row = `subject ${'x'.repeat(200)},${'y'.repeat(8_000)}\n`;
  const rows = Readable.from(
    (function* () {
      yield 'subject,text\n';
      for (let n = 0; n < 50; n += 1) yield row.repeat(100);
    })(),
  );
  await pipeline(rows, command.input);
  expect(await command.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('5,000 rows') });
}, 180_000);

describe('what cannot be', () => {
  it.each([
    ['a column that is not there', ['--description', 'body'], 'no column "body"; the file has "subject"', 1],
    ['a token that does not verify', ['--token', 'nonsense'], 'the token was not accepted', 1],
    ['options that do not go together', ['--undo'], '--apply and --undo are two commands', 2],
    ['a file that is not there', ['/nowhere.csv'], 'cannot read /nowhere.csv: no such file', 1],
  ])('is said in one line: %s', async (_, args, message, expected) => {
    const { client, run } = await workspace();
    const { code, stderr } = await run(...args);
    expect(code).toBe(expected);
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(await client.boards.list().all()).toEqual([]);
  });

  it('is a mapping or a journal that is of something else', async () => {
    const { run, path } = await workspace();
    expect((await run()).code).toBe(0);
    const other = await workspace();
    expect((await other.run('--run', `${path}.import`)).stderr).toContain('journal.jsonl is of another workspace');
    await writeFile(`${path}.import/mapping.json`, '{"columns": []}');
    expect((await run()).stderr).toMatch(/^error: .*mapping\.json/);
  });
});
