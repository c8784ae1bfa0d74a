import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { createClient } from '@cardinal/client/source';
import { eventually, sharedStack } from '@cardinal/testkit';
import { beforeAll, expect, it } from 'vitest';
import { type Access, environmentOf, main, runHere } from '../run-cli.ts';

const stack = await sharedStack();
let access: Access;
let client: ReturnType<typeof createClient>;
let column: string;
const board = 'Launch';

beforeAll(async () => {
  access = { url: stack.origin, token: await stack.token() };
  client = createClient({ baseUrl: access.url, token: access.token });
  const { id } = await client.boards.create({ name: board });
  column = (await client.columns.create(id, { name: 'To do' })).id;
  for (let n = 1; n <= 13; n += 1) await client.cards.create(column, { title: `Card ${n}` });
  // What was written is in the log.
  for await (const { card } of client.events.follow({ after: 0 })) if (card?.identifier === 'MAIN-13') break;
});

const events = async (...args: string[]) => {
  const { code, stdout, stderr } = await runHere(['events', ...args], access);
  return {
    code,
    stderr,
    listed: stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  };
};
const identifiers = ({ listed }: Awaited<ReturnType<typeof events>>) =>
  listed.map(({ card }) => card?.identifier ?? null);

it('lists the last ones, oldest first, narrowed as is said', async () => {
  const all = (await events('--last', '100')).listed.map(({ seq }) => seq);
  expect(all).toEqual(Array.from({ length: all.length }, (_, n) => n + 1));
  for (const count of [1, 2, 7, all.length]) {
    expect((await events('--last', String(count))).listed.map(({ seq }) => seq)).toEqual(all.slice(-count));
  }
  expect(identifiers(await events('--last', '3'))).toEqual(['MAIN-11', 'MAIN-12', 'MAIN-13']);
  expect((await events('--types', 'board.*,column.created')).listed.map(({ type }) => type)).toEqual([
    'board.created',
    'column.created',
  ]);
  expect(identifiers(await events('--card', 'main-7'))).toEqual(['MAIN-7']);
  expect(identifiers(await events('--board', board, '--types', 'card.*', '--last', '1'))).toEqual(['MAIN-13']);
  expect((await events('--after', String(all.length - 2))).listed).toHaveLength(2);
  const newest = async (...args: string[]) => (await events('--order', 'desc', ...args)).listed.map(({ seq }) => seq);
  expect(await newest('--last', '3')).toEqual(all.slice(-3).toReversed());
  expect(await newest('--after', String(all.length - 2))).toEqual(all.slice(-2).toReversed());
  // The command of the declaration has options of the same name.
  expect(identifiers(await events('list', '--types', 'card.created', '--limit', '1'))).toEqual(['MAIN-1']);
});

it('says what cannot be', async () => {
  expect(await events('--types', 'card.painted')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('There is no type "card.painted"; there are board.created'),
  });
  expect(await events('--last', '1', '--after', '1')).toMatchObject({ code: 2 });
  expect(await events('--follow', '--order', 'desc')).toMatchObject({ code: 2 });
  expect(await events('--board', 'Lunch')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no board is called "Lunch"; there is "Launch"'),
  });
  expect(await events('--card', 'MAIN-99')).toMatchObject({ code: 1 });
});

it('follows events until Ctrl-C, and begins after the given number', async () => {
  const { identifier } = await client.cards.create(column, { title: 'Before' });
  // The log follows what was written within moments.
  const latest = await eventually(async () => {
    const [last] = (await events('--last', '1')).listed;
    expect(last.card).toMatchObject({ identifier });
    return last;
  });
  const child = spawn(
    process.execPath,
    [main, 'events', '--follow', '--types', 'card.*', '--after', String(latest.seq - 1)],
    {
      env: environmentOf(access),
    },
  );
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse(String((await lines.next()).value));
  expect((await next()).card).toMatchObject({ identifier });
  const { id } = await client.cards.create(column, { title: 'Refund twice' });
  expect(await next()).toMatchObject({ type: 'card.created', data: { id, title: 'Refund twice' } });
  const ended = once(child, 'close');
  child.kill('SIGINT');
  expect([await text(child.stderr), await ended]).toEqual(['', [130, null]]);
});

it('ends without a word where nobody reads on', async () => {
  const line = `exec "$0" "$1" events --after 0 --follow | head -1`;
  const child = spawn('sh', ['-c', line, process.execPath, main], { env: environmentOf(access) });
  let isOver = false;
  const told = Promise.all([text(child.stdout), text(child.stderr)]).finally(() => {
    isOver = true;
  });
  // It finds out when it writes the next one.
  await eventually(async () => {
    await client.cards.create(column, { title: 'One more' });
    expect(isOver).toBe(true);
  });
  const [stdout, stderr] = await told;
  expect([JSON.parse(stdout).seq, stderr]).toEqual([1, '']);
});
