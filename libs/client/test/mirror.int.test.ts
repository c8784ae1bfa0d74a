import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { eventually, rounds, scratchFolder, startWorld, type World } from '@cardinal/testkit';
import { beforeAll, expect, it } from 'vitest';
import { type Card, type CardinalClient, createClient } from '../src/index.ts';

const steps = rounds(600, 100);
const folder = scratchFolder('mirror');

let world: World;
/** The example as its users have it, with the client of this checkout. */
const program = join(folder, 'mirror.ts');
beforeAll(async () => {
  const example = await readFile(join(import.meta.dirname, '../examples/mirror.ts'), 'utf8');
  await writeFile(program, example.replace("'@cardinal/client'", `'${new URL('../src/index.ts', import.meta.url)}'`));
  world = await startWorld({ apart: true, env: { gateway: { RATE_LIMIT_MAX: '1000000' } } });
  return () => world.stop();
});

/** Exit codes of copies that ended by themselves. */
const ended: number[] = [];

/** A reader with a copy that its own process keeps, and starts again after a kill. */
const readerOf = async (workspace: string) => {
  const user = crypto.randomUUID();
  const token = await world.token({ workspace, user });
  const client = createClient({ baseUrl: world.baseUrl, token, retry: { baseMs: 50, attempts: 50 } });
  const file = join(folder, `${user}.db`);
  let isOver = false;
  let child: ChildProcess;
  const run = () => {
    child = spawn(process.execPath, [program, file], {
      env: { CARDINAL_URL: world.baseUrl, CARDINAL_TOKEN: token, NODE_NO_WARNINGS: '1' },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    child.once('exit', (code) => {
      if (code !== null) ended.push(code);
      else if (!isOver) run();
    });
  };
  run();
  const rows = (table: string) => {
    const db = new DatabaseSync(file, { readOnly: true });
    const found = db.prepare(`select json from ${table} order by id`).all() as { json: string }[];
    db.close();
    return found.map(({ json }) => JSON.parse(json));
  };
  return {
    user,
    client,
    copy: () => ({ workstreams: rows('workstreams'), boards: rows('boards'), cards: rows('cards') }),
    kill: () => child.kill('SIGKILL'),
    stop: async () => {
      isOver = true;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
};

const byId = <Item extends { id: string }>(items: Item[]) => items.toSorted((a, b) => (a.id < b.id ? -1 : 1));

/** What a reader sees, in the form of the copy. */
const seenBy = async ({ boards, cards, workstreams }: CardinalClient) => {
  const any = [{ archived: false }, { archived: true }];
  const form = ({ workstream, position: _, ...card }: Card) => ({ ...card, workstream_id: workstream.id });
  return {
    workstreams: byId((await Promise.all(any.map((query) => workstreams.list(query).all()))).flat()),
    boards: byId((await Promise.all(any.map((query) => boards.list(query).all()))).flat()),
    cards: byId((await cards.search({ archived: 'any' }).all()).map(form)),
  };
};

const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)] as Item;

/** A refusal that a writer may meet: what it would change is gone, archived, or changed since. */
const unlessRefused = (error: { code?: string }) => {
  if (!['not_found', 'conflict', 'precondition_failed'].includes(error.code ?? '')) throw error;
};

it('a copy is what its reader sees, through kills of everything, moves, visibility and membership', async () => {
  const workspace = crypto.randomUUID();
  const readers = await Promise.all([readerOf(workspace), readerOf(workspace), readerOf(workspace)]);
  const [ada, ...others] = readers;
  const { boards, columns, cards, labels, workstreams, comments } = (ada as (typeof readers)[0]).client;
  const newBoard = async (visibility: 'workspace' | 'private') => {
    const { id } = await boards.create({ name: `Board ${Math.random()}`, visibility });
    return { id, column: (await columns.create(id, { name: 'To do' })).id };
  };
  const places = [await newBoard('workspace'), await newBoard('private'), await newBoard('workspace')];
  const streams = [await workstreams.create({ name: 'Payments', prefix: 'PAY' })];
  const marks = [await labels.create({ name: 'bug' })];
  const made: string[] = [];
  const fresh = () => cards.get(pick(made));

  const write: Record<string, () => Promise<unknown>> = {
    create: async () => made.push((await cards.create(pick(places).column, { title: `card ${made.length}` })).id),
    edit: async () => cards.update(await fresh(), { title: `edited ${Math.random()}` }),
    move: async () => cards.move(await fresh(), { column_id: pick(places).column }),
    transfer: async () => cards.transfer(await fresh(), { workstream_id: pick(streams).id }),
    comment: async () => comments.create(pick(made), { body: 'Look' }),
    label: async () => cards.addLabel(pick(made), pick(marks).id),
    unlabel: async () => {
      const [mark] = marks.splice(0, 1, await labels.create({ name: 'bug' }));
      if (mark) await labels.delete(await labels.get(mark.id));
    },
    archive: async () => cards.archive(await fresh()),
    remove: async () => cards.delete(await fresh()),
    rename: async () =>
      workstreams.update(await workstreams.get(pick(streams).id), { name: `Payments ${Math.random()}` }),
    show: async () => {
      const board = await boards.get(pick(places).id);
      await boards.update(board, { visibility: board.visibility === 'private' ? 'workspace' : 'private' });
    },
    invite: async () => boards.addMember(pick(places).id, pick(others).user),
    expel: async () => boards.removeMember(pick(places).id, pick(others).user),
    replace: async () => {
      const [place] = places.splice(0, 1, await newBoard(pick(['workspace', 'private'])));
      if (place) await boards.delete(await boards.get(place.id));
    },
  };
  const often = ['create', 'create', 'edit', 'edit', 'move', 'move', 'comment', 'label', 'show', 'invite', 'expel'];
  const kills = [
    ...readers.map((reader) => async () => void reader.kill()),
    ...(['card', 'event', 'gateway', 'identifier'] as const).map((name) => async () => {
      await world.kill(name);
      await world.restart(name);
    }),
  ];

  while (made.length < 20) await write.create?.();
  for (let step = 1; step <= steps; step += 1) {
    const kind = pick([...often, ...Object.keys(write)]);
    await write[kind]?.().catch(unlessRefused);
    if (step % 15 === 0) await pick(kills)();
  }

  for (const { client, copy } of readers) {
    await eventually(async () => expect(copy()).toEqual(await seenBy(client)), { everyMs: 500 });
  }
  expect(ended).toEqual([]);
  await Promise.all(readers.map(({ stop }) => stop()));
});
