import type { Transaction } from '@cardinal/db';
import { aCaller } from '@cardinal/testkit';
import {
  CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely';
import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { extendRange, findCards, highestNumber, insertIdentifiers, readHistory } from '../src/ledger/queries.ts';
import type { DB } from '../src/tables.gen.ts';
import { aWorkstream, startWorld } from './support/world.ts';

const workspace_id = v7();
const one = {
  workspace_id,
  identifier: 'WEB-1',
  workstream_id: v7(),
  card_id: v7(),
  card_version: 1,
  assigned_by: v7(),
  assigned_at: '2026-01-01T00:00:00.000Z',
};

const range = { granted_through: 8, epoch: 1, epoch_base: 0, grant_size: 8, granted_at: new Date(0) };
const history = { workspace_id, card_id: v7(), current: { prefix: 'WEB', number: 1 }, unrecorded: [one] };
const after = { card_version: 1, prefix: 'WEB', number: 1 };

/** The statements of grants, records, look-ups of aliases and histories. */
const hot: Record<string, (tx: Transaction<DB>) => Promise<unknown>> = {
  'insert-identifiers': (tx) => insertIdentifiers(tx, [one]),
  'highest-number': (tx) => highestNumber(tx, workspace_id, 'WEB'),
  'extend-range': (tx) => extendRange(tx, { workspace_id, workstream_id: one.workstream_id }, range),
  'read-history': (tx) => readHistory(tx, history, { limit: 50, after }),
  'find-cards': (tx) => findCards(tx, [{ workspace_id, prefix: 'WEB', number: 1 }]),
};

/** The statement that a store function would send. */
const statementOf = async (run: (tx: Transaction<DB>) => Promise<unknown>): Promise<CompiledQuery> => {
  const sent: CompiledQuery[] = [];
  const deaf = new Kysely<DB>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: ({ query }) => {
      sent.push(query);
    },
  });
  await deaf.transaction().execute(run);
  expect(sent).toHaveLength(1);
  return sent[0] as CompiledQuery;
};

const world = await startWorld();
const instance = await world.start();
const caller = aCaller(workspace_id);
const { id } = await aWorkstream(world, caller, 'WEB');
await instance.context.db.transaction((tx) =>
  sql`
    insert into identifiers
      (workspace_id, prefix, number, workstream_id, card_id, assigned_by, card_version, assigned_at)
    select ${workspace_id}, 'WEB', n, ${id}, gen_random_uuid(), gen_random_uuid(), 1, now()
    from generate_series(1, 20000) n`.execute(tx),
);
await instance.context.db.transaction((tx) => sql`analyze identifiers`.execute(tx));

test.each(Object.entries(hot))('the statement of %s is the reviewed one', async (name, run) => {
  const statement = await statementOf(run);
  await expect(`${statement.sql.trim()}\n`).toMatchFileSnapshot(`golden/${name}.sql`);
});

test.each(Object.entries(hot))('%s finds numbers by their keys', async (_, run) => {
  const { sql: text, parameters } = await statementOf(run);
  const { rows } = await instance.context.db.transaction((tx) =>
    tx.executeQuery<{ 'QUERY PLAN': string }>(CompiledQuery.raw(`explain ${text}`, [...parameters])),
  );
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).not.toContain('Seq Scan on identifiers');
});
