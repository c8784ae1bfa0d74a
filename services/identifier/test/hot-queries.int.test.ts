import type { Transaction } from '@cardinal/db';
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
import { beforeAll, expect, test } from 'vitest';
import { confirmNumbers } from '../src/store/confirm-numbers.ts';
import { findAnswered } from '../src/store/find-answered.ts';
import { findNumbers } from '../src/store/find-numbers.ts';
import { insertNumbers } from '../src/store/insert-numbers.ts';
import { lockCounters } from '../src/store/lock-counters.ts';
import type { DB } from '../src/store/tables.gen.ts';
import type { Instance } from './support/instance.ts';
import { aCaller, aWorkstream, startWorld } from './support/world.ts';

const workspace_id = v7();
const operation = { workspace_id, operation_id: v7() };
const now = new Date('2026-01-01T00:00:00.000Z');

/** The statements that every create, transfer and lookup runs. */
const hot: Record<string, (tx: Transaction<DB>) => Promise<unknown>> = {
  'lock-counters': (tx) => lockCounters(tx, [{ workspace_id, candidates: [v7()] }]),
  'find-answered': (tx) => findAnswered(tx, [operation]),
  'insert-numbers': (tx) => insertNumbers(tx, [], [], now),
  'confirm-numbers': (tx) => confirmNumbers(tx, [{ ...operation, card_version: 1, assigned_at: now.toISOString() }]),
  'find-numbers': (tx) => findNumbers(tx, [{ workspace_id, prefix: 'WEB', number: 1 }]),
};

/** What a store function would send. */
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

let instance: Instance;

beforeAll(async () => {
  const world = await startWorld();
  instance = await world.start();
  const caller = aCaller(workspace_id);
  const { id } = await aWorkstream(world, caller, 'WEB');
  // Statistics of a quiet moment: many numbers, and none of them pending.
  await instance.parts.db.transaction((tx) =>
    sql`
      insert into identifiers
      select ${workspace_id}, 'WEB', n, ${id}, gen_random_uuid(), gen_random_uuid(), 'issued', gen_random_uuid(), 1, now(), now()
      from generate_series(1, 20000) n`.execute(tx),
  );
  await instance.parts.db.transaction((tx) => sql`analyze identifiers`.execute(tx));
});

test.each(Object.entries(hot))('the statement of %s is the reviewed one', async (name, run) => {
  const statement = await statementOf(run);
  await expect(`${statement.sql.trim()}\n`).toMatchFileSnapshot(`golden/${name}.sql`);
});

test.each(Object.entries(hot))('%s finds numbers by their keys', async (_, run) => {
  const { sql: text, parameters } = await statementOf(run);
  const { rows } = await instance.parts.db.transaction((tx) =>
    tx.executeQuery<{ 'QUERY PLAN': string }>(CompiledQuery.raw(`explain ${text}`, [...parameters])),
  );
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).not.toContain('Seq Scan on identifiers');
  expect(plan).not.toContain('identifiers_pending');
});
