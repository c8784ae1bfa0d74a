import { getCard, type Workstream } from '@cardinal/contracts';
import { openDatabase } from '@cardinal/db';
import { type Failpoint, newContext, runInContext } from '@cardinal/runtime';
import { eventually } from '@cardinal/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Tables } from '../src/store/database.ts';
import { type Ground, startGround } from './support/ground.ts';
import { aCaller, aColumn, aCommand, aWorkstream, create, patch } from './support/making.ts';
import { startReal } from './support/real-service.ts';

/** A sweeper that is awake: what it finds is abandoned by then. */
const awake = { OPERATION_AGE_MS: '1', OPERATION_SWEEP_INTERVAL_MS: '50' };

let ground: Ground;
let living: Awaited<ReturnType<typeof startReal>>;
let db: ReturnType<typeof openDatabase<Tables>>;

beforeAll(async () => {
  ground = await startGround({ instances: 0 });
  db = openDatabase<Tables>({ url: ground.urls.card, name: 'test' });
  [living] = await Promise.all([startReal(ground, 'card', awake), startReal(ground, 'identifier')]);
});
afterAll(() => db.close());

const failpoints: Failpoint[] = ['after-prepare', 'before-commit', 'after-commit', 'before-confirm'];

test.each(failpoints)('killed %s, a card is made once and a transfer with edits is whole', async (failpoint) => {
  const caller = aCaller();
  const web = await aWorkstream(ground, caller, 'WEB');
  const { column } = await aColumn(ground, caller);
  const { resource: card } = await create(ground, caller, column.id);
  await living.stop();

  const doomed = await startReal(ground, 'card', { FAILPOINT: failpoint });
  const [creating, patching] = [aCommand(), aCommand()];
  const wish = { title: 'New', workstream_id: web.id };
  const asked = runInContext(newContext({ timeoutMs: 1_000 }), () =>
    Promise.allSettled([
      patch(ground, caller, card, wish, patching),
      create(ground, caller, column.id, { title: 'Second', workstream_id: web.id }, creating),
    ]),
  );
  expect(await doomed.exited).toMatchObject({ signal: 'SIGKILL' });

  await asked;
  living = await startReal(ground, 'card', awake);
  const patched = await patch(ground, caller, card, wish, patching);
  const created = await create(ground, caller, column.id, { title: 'Second', workstream_id: web.id }, creating);
  expect(patched.resource).toMatchObject({ version: 3, title: 'New', workstream: { prefix: 'WEB' } });
  expect(await ground.bus.call(getCard, { ...caller, card_id: card.id })).toEqual(patched.resource);
  expect(await nextIn(caller, column.id, web)).toBe('WEB-3');
  expect([patched, created].map((answer) => answer.resource.identifier).sort()).toEqual(['WEB-1', 'WEB-2']);

  await eventually(async () => {
    const left = await db.read((tx) => tx.selectFrom('operations').selectAll().execute());
    expect(left).toEqual([]);
  });
  const cards = await db.read((tx) =>
    tx.selectFrom('cards').select('id').where('workspace_id', '=', caller.workspace_id).execute(),
  );
  expect(cards).toHaveLength(3);
});

/** The number that a workstream gives out next, and so how many it has given out. */
const nextIn = async (caller: ReturnType<typeof aCaller>, columnId: string, workstream: Workstream) =>
  (await create(ground, caller, columnId, { workstream_id: workstream.id })).resource.identifier;
