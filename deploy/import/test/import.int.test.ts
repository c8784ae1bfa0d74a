import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Card, type CardinalClient, createClient } from '@cardinal/client/source';
import { eventually, type SharedStack, scratchFolder, sharedStack } from '@cardinal/testkit';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { importHere, startImport } from './import-command.ts';

const pattern = '\\[([A-Za-z]+)-\\d+\\]';
const prefixes = ['WEB', 'PAY', 'web', 'Z', undefined];

/** Rows with quotes, equal ones, prefixes in both cases, one that no workstream can have, and none. */
const table = (rows: number) => {
  const lines = Array.from({ length: rows }, (_, n) => {
    const prefix = prefixes[n % prefixes.length];
    const equal = n % 10 >= 8;
    return `${equal ? 'x' : n}\t${prefix ? `[${prefix}-${n % 7}] ` : ''}"fix" it${equal ? '' : ` ${n}`}`;
  });
  return `hash\tsubject\n${lines.join('\n')}\n`;
};

const numbersByPrefix = (cards: Card[]) => {
  const numbers: Record<string, number[]> = {};
  for (const { identifier, workstream } of cards) {
    numbers[workstream.prefix] = [...(numbers[workstream.prefix] ?? []), Number(identifier.split('-')[1])];
  }
  return Object.fromEntries(Object.entries(numbers).map(([prefix, all]) => [prefix, all.sort((a, b) => a - b)]));
};
const oneTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

let stack: SharedStack;
beforeAll(async () => {
  stack = await sharedStack();
});

/** A workspace of its own and the command in it. */
const workspace = async (file = 'commits.tsv', content = table(100)) => {
  const access = { url: stack.origin, token: await stack.token() };
  const path = join(scratchFolder('import'), file);
  await writeFile(path, content);
  const client = createClient({ baseUrl: access.url, token: access.token });
  // Few of these tests look at the order, and one row at a time takes long on a busy machine.
  const args = (more: string[]) => [path, '--title', 'subject', '--concurrency', '8', ...more];
  return {
    ...{ access, client, path },
    /** The command as a process, and inside this one. */
    start: (...more: string[]) => startImport(args(more), access),
    run: (...more: string[]) => importHere(args(more), access),
  };
};

const importedCards = async (client: CardinalClient): Promise<Card[]> => {
  const boards = await client.boards.list().all();
  return (await Promise.all(boards.map(({ id }) => client.cards.list(id).all()))).flat();
};

/** `rows` cards, each once, on one board; every workstream numbered without a gap. */
const expectWhole = async (client: CardinalClient, rows: number) => {
  const cards = await eventually(async () => {
    const found = await importedCards(client);
    expect(found).toHaveLength(rows);
    return found;
  });
  const fifth = rows / prefixes.length;
  expect(numbersByPrefix(cards)).toEqual({ WEB: oneTo(2 * fifth), PAY: oneTo(fifth), MAIN: oneTo(2 * fifth) });
  expect((await client.boards.list().all()).map(({ name }) => name)).toEqual(['commits']);
  expect((await client.workstreams.list().all()).map(({ prefix }) => prefix).sort()).toEqual(['MAIN', 'PAY', 'WEB']);
};

describe('an import', () => {
  it('makes a card a row, and none when it is run again', async () => {
    const { client, start, run } = await workspace();
    const first = await start('--workstream-pattern', pattern).ended;
    expect(first.code).toBe(0);
    // How far it is, where it takes longer than some seconds.
    expect(first.stderr).toMatch(/^(\d+ of 100 rows \(\d+%\)\n)*$/);
    expect(first.stdout).toContain('100 rows: 60 in 2 workstreams, 40 in the default one');
    expect(first.stdout).toContain('20 of the rows in the default workstream matched what cannot be a prefix: Z');
    expect(first.stdout).toMatch(/board "commits", column "Imported": 100 cards created, 0 already there, [\d.]+ s/);
    expect(first.stdout).toMatch(/^ {2}WEB +40 +0$/m);
    await expectWhole(client, 100);
    const second = await run('--workstream-pattern', pattern);
    expect(second.stdout).toMatch(/: 0 cards created, 100 already there, /);
    expect(second.stdout).toMatch(/^ {2}WEB +0 +40$/m);
    await expectWhole(client, 100);
  });

  it.each(['SIGKILL', 'SIGINT'] as const)('goes on after %s in the middle', async (signal) => {
    const rows = 200;
    const { client, start, run } = await workspace('commits.tsv', table(rows));
    const command = start('--workstream-pattern', pattern, '--concurrency', '1');
    await eventually(async () => expect((await importedCards(client)).length).toBeGreaterThan(5));
    command.kill(signal);
    const stopped = await command.ended;
    expect(stopped.code).toBe(signal === 'SIGKILL' ? null : 130);
    if (signal === 'SIGINT') expect(stopped.stdout).toContain('rows are left; the same command goes on with them');
    expect((await importedCards(client)).length).toBeLessThan(rows);
    const again = await run('--workstream-pattern', pattern);
    expect(again.code).toBe(0);
    const [, created, there] = /: (\d+) cards created, (\d+) already there/.exec(again.stdout) ?? [];
    expect(Number(created) + Number(there)).toBe(rows);
    expect(Number(there)).toBeGreaterThan(5);
    await expectWhole(client, rows);
  });

  it('ends up the same when two run at once', async () => {
    const { client, run } = await workspace('commits.tsv', table(50));
    const ends = await Promise.all([run('--workstream-pattern', pattern), run('--workstream-pattern', pattern)]);
    expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    await expectWhole(client, 50);
  });

  it('writes descriptions, and goes to the board and column that are named', async () => {
    const { client, run } = await workspace('x.csv', 'subject;text\nA card;"two\nlines"\nAnother;\n');
    const board = await client.boards.create({ name: 'Chosen' });
    const column = await client.columns.create(board.id, { name: 'Inbox' });
    const { code } = await run('--description', 'text', '--board', 'Chosen', '--column', column.id);
    expect(code).toBe(0);
    const cards = await client.cards.list(board.id, { column_id: column.id }).all();
    expect(cards.map(({ title, description }) => [title, description]).sort()).toEqual([
      ['A card', 'two\nlines'],
      ['Another', null],
    ]);
  });

  it('numbers the rows in their order', async () => {
    const titles = Array.from({ length: 30 }, (_, n) => `Row ${n + 1}`);
    const { access, client, path } = await workspace('ordered.csv', `subject\n${titles.join('\n')}\n`);
    await importHere([path, '--title', 'subject'], access);
    const cards = await importedCards(client);
    const number = ({ identifier }: Card) => Number(identifier.split('-')[1]);
    expect(cards.sort((a, b) => number(a) - number(b)).map(({ title }) => title)).toEqual(titles);
  });

  it('sets due dates, priorities, labels and assignees, and again without a change', async () => {
    const ada = crypto.randomUUID();
    const rows = `subject,due,urgency,tags,owner\nA,2026-02-01,urgent,"bug, ui",${ada}\nB,,,ui,\n`;
    const { client, run } = await workspace('mapped.csv', rows);
    const bug = await client.labels.create({ name: 'bug' });
    const maps = ['due_date=due', 'priority=urgency', 'labels=tags', 'assignees=owner'].flatMap((map) => [
      '--map',
      map,
    ]);
    expect((await run(...maps)).stdout).toContain('2 labels');
    const labels = await client.labels.list().all();
    expect(labels.map(({ name }) => name).sort()).toEqual(['bug', 'ui']);
    const ui = labels.find(({ name }) => name === 'ui')?.id ?? '';
    const cards = await importedCards(client);
    expect(cards.sort((a, b) => (a.title < b.title ? -1 : 1))).toMatchObject([
      { title: 'A', due_date: '2026-02-01T00:00:00.000Z', priority: 'urgent', assignee_user_ids: [ada] },
      { title: 'B', due_date: null, priority: null, label_ids: [ui], assignee_user_ids: [] },
    ]);
    expect(cards[0]?.label_ids.toSorted()).toEqual([bug.id, ui].sort());
    expect((await run(...maps)).stdout).toContain('0 cards created, 2 already there');
    expect((await importedCards(client)).map(({ version }) => version).sort()).toEqual(
      cards.map(({ version }) => version).sort(),
    );
  });

  it('reads standard input', async () => {
    const { access, client } = await workspace();
    const command = startImport(['-', '--title', 'subject', '--board', 'Piped'], access);
    command.input.end('subject;n\nFirst;1\nSecond;2\n');
    expect(await command.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('2 cards created') });
    expect((await importedCards(client)).map(({ title }) => title).sort()).toEqual(['First', 'Second']);
  });

  it('holds a few rows in memory, however many there are', async () => {
    const { access } = await workspace();
    const args = ['-', '--title', 'subject', '--board', 'Large', '--dry-run'];
    const command = startImport(args, access, ['--max-old-space-size=56']);
    // As much text as would not fit, in few rows: each costs its time.
    const row = `subject ${'x'.repeat(200)},${'y'.repeat(4_000)}\n`;
    const rows = Readable.from(
      (function* () {
        yield 'subject,text\n';
        for (let n = 0; n < 100; n += 1) yield row.repeat(200);
      })(),
    );
    await pipeline(rows, command.input);
    expect(await command.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('20,000 rows') });
  }, 180_000);

  it('makes a new board where the one it once made is archived', async () => {
    const { client, run } = await workspace('commits.tsv', table(10));
    await run();
    const [board] = await client.boards.list().all();
    if (!board) throw new Error('no board');
    await client.boards.archive(board);
    expect((await run()).stdout).toContain('10 cards created, 0 already there');
    expect((await client.boards.list().all()).map(({ name }) => name)).toEqual(['commits']);
  });

  it('makes no second card of a row when its options change', async () => {
    const { client, run } = await workspace('commits.tsv', table(10));
    await run();
    const changed = await run('--workstream-pattern', pattern);
    expect(changed.code).toBe(1);
    expect(changed.stderr).toMatch(/^error: line \d+ was imported into this column before with other options/m);
    expect(await importedCards(client)).toHaveLength(10);
  });
});

describe('an import that cannot be', () => {
  it('names every row that the API would refuse, before it writes anything', async () => {
    const content = `subject\tn\n${'x'.repeat(241)}\t1\nfine\t2\n \t3\n`;
    const { client, run } = await workspace('commits.tsv', content);
    const { code, stderr } = await run();
    expect(code).toBe(1);
    expect(stderr.trim().split('\n')).toEqual([
      'commits.tsv:2: title must have at most 240 characters',
      'commits.tsv:4: title must not be empty',
      expect.stringMatching(/^error: 2 of 3 rows cannot become cards \(see above\); nothing was written\./),
    ]);
    expect(await client.boards.list().all()).toEqual([]);
  });

  it.each([
    ['a column that is not there', ['--description', 'body'], 'no column "body"; the file has "hash", "subject"'],
    ['a column by nearly its name', ['--description', 'Subjekt'], 'no column "Subjekt"; did you mean "subject"?'],
    ['a token that does not verify', ['--token', 'nonsense'], 'the token was not accepted'],
    ['nobody at the address', ['--url', 'http://127.0.0.1:9'], 'no answer from http://127.0.0.1:9'],
    [
      'more workstreams than allowed',
      ['--workstream-pattern', pattern, '--max-workstreams', '1'],
      'names 2 workstreams',
    ],
  ])('says in one line: %s', async (_, args, message) => {
    const { client, run } = await workspace();
    const { code, stderr } = await run(...args);
    expect(code).toBe(1);
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(await client.boards.list().all()).toEqual([]);
  });

  it('says in one line what is wrong with the command itself', async () => {
    const { client, start } = await workspace();
    const { code, stderr } = await start('--workstream-pattern', '(').ended;
    expect(code).toBe(1);
    expect(stderr).toContain('Unterminated group');
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(await client.boards.list().all()).toEqual([]);
  });

  it('notices that something else answers at the address', async () => {
    const { run } = await workspace();
    const other = createServer((_, response) => response.end('<html>Welcome</html>'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      other.close();
    });
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const { code, stderr } = await run('--url', url);
    expect(code).toBe(1);
    expect(stderr).toContain(`error: ${url} answered (200), but it is not Cardinal`);
  });

  it('tells of a token that may not write, and of an archived workstream', async () => {
    const { access, client, run } = await workspace();
    const reader = await stack.token({ scope: 'kanban:read' });
    expect((await run('--token', reader)).stderr).toContain('error: the token lacks a scope');
    const web = await client.workstreams.create({ name: 'Web', prefix: 'WEB' });
    await client.workstreams.archive(web);
    expect((await run('--workstream-pattern', pattern)).stderr).toContain('error: workstream WEB is archived');
    expect(await createClient({ baseUrl: access.url, token: access.token }).boards.list().all()).toEqual([]);
  });
});
