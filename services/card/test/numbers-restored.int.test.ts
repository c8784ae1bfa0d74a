import { aCaller, aCommand, eventually } from '@cardinal/testkit';
import { breakConnections } from '@cardinal/testkit/instance';
import { type RawBuilder, sql } from 'kysely';
import { expect, test } from 'vitest';
import { aColumn, create } from './support/builders.ts';
import { startInstance } from './support/instance.ts';
import { createHandler, fail, pass, startNumbers } from './support/numbers.ts';

const { fixture, identifier, instance, settled, idle } = await startNumbers();
const numberOf = (card: { identifier: string }) => Number(card.identifier.split('-')[1]);

/** Five cards, of which the database forgets the last three; the ledger keeps all but the very last. */
const setBack = async () => {
  const caller = aCaller();
  const web = identifier.add(caller.workspace_id, 'WEB');
  const { column } = await aColumn(fixture, caller);
  const make = () => create(fixture, caller, column.id, { workstream_id: web.id });
  for (let count = 0; count < 4; count += 1) await make();
  await settled(caller);
  identifier.beforeRecord = fail;
  await make();
  await idle();
  identifier.beforeRecord = pass;
  // So the tick is one at least before it is set back by one; the first round may meet the rollback of another test.
  for (let round = 0; round < 2; round += 1) {
    instance.context.lineage.noteWrite();
    await instance.context.lineage.sweep();
  }
  await instance.context.db.transaction(async (tx) => {
    await tx.deleteFrom('cards').where('workspace_id', '=', caller.workspace_id).where('version', '=', 1).execute();
    await tx.deleteFrom('issued').where('workspace_id', '=', caller.workspace_id).execute();
    await sql`update workstreams set last_number = 2 where id = ${web.id}`.execute(tx);
    await sql`update lineage set tick = tick - 1`.execute(tx);
  });
  return { caller, column, web };
};
/** The next connection of each process may lead to another server. */
const breakAll = async () => {
  const generations = () => fixture.instances.map(({ context }) => context.db.serverGeneration());
  const before = generations();
  await breakConnections(instance.context.db);
  await eventually(async () => {
    // One that was idle for so long that it has no connection learns of it with the next one.
    await Promise.all(fixture.instances.map(({ context }) => context.db.check()));
    expect(generations().every((now, at) => now > (before[at] ?? 0))).toBe(true);
  });
};
const request = ({ caller, column, web }: Awaited<ReturnType<typeof setBack>>) => ({
  ...{ ...caller, command: aCommand(), column_id: column.id },
  body: { title: 'Card', workstream_id: web.id },
});

test('after a rollback a new process goes on behind everything that may have been issued', async () => {
  const past = await setBack();
  const fresh = await startInstance({ databaseUrl: fixture.urls.card, natsUrl: fixture.natsUrl });
  const { resource } = await createHandler(fresh.context)(request(past));
  await fresh.stop();
  expect(numberOf(resource)).toBeGreaterThan(1_000);
});

test('so does one that lived on, once its connections broke', async () => {
  const past = await setBack();
  await breakAll();
  const made = await Promise.all(
    fixture.instances.map(({ context }) => createHandler(context)(request(past)).then(({ resource }) => resource)),
  );
  const [one, two] = made.map(numberOf).sort((a, b) => a - b) as [number, number];
  expect([one > 1_000, two]).toEqual([true, one + 1]);
});

test('a state that comes back twice, the second time right after the first number, gives that number to no other card', async () => {
  const past = await setBack();
  const inDatabase = (statement: RawBuilder<unknown>) => instance.context.db.transaction((tx) => statement.execute(tx));
  await inDatabase(sql`create table kept_lineage as table lineage`);
  await inDatabase(sql`create table kept_workstreams as select * from workstreams where id = ${past.web.id}`);
  await breakAll();
  const make = async () => numberOf((await createHandler(instance.context)(request(past))).resource);
  const first = await make();
  await inDatabase(sql`delete from cards where workspace_id = ${past.caller.workspace_id} and title = 'Card'`);
  await inDatabase(sql`delete from issued where workspace_id = ${past.caller.workspace_id}`);
  await inDatabase(sql`delete from workstreams where id = ${past.web.id}`);
  await inDatabase(sql`insert into workstreams select * from kept_workstreams`);
  await inDatabase(sql`update lineage set (tick, epoch) = (select tick, epoch from kept_lineage)`);
  await breakAll();
  expect(await make()).toBeGreaterThan(first);
});
