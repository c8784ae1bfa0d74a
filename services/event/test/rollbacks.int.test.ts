import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { lineageKeyOf, logMarkKey } from '@cardinal/contracts';
import { createLogger } from '@cardinal/runtime';
import { runStatements } from '@cardinal/servers';
import { createLineage } from '@cardinal/service';
import { eventually, testBus } from '@cardinal/testkit';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { expect, it } from 'vitest';
import { findWaiting, setLogsOn } from '../src/fill/rollbacks.ts';
import { startHarness } from './support/harness.ts';
import { startInstance } from './support/instance.ts';

const harness = await startHarness();

/** Reads a log again and again, and fails where a number names another event than before. */
const follow = (workspace: string) => {
  const told = new Map<number, string>();
  const read = async () => {
    const events = await harness.readAll(workspace);
    for (const { seq, id } of events) {
      expect({ seq, id }).toEqual({ seq, id: told.get(seq) ?? id });
      told.set(seq, id);
    }
    return events;
  };
  return { read, last: () => Math.max(...told.keys()) };
};

/** Waits until the log has a reset above all that was read, and everything that is in the feed of cards after it. */
const expectReset = async (follower: ReturnType<typeof follow>, ids: string[], above = follower.last()) => {
  await eventually(async () => {
    const events = await follower.read();
    const reset = events.find(({ type, seq }) => type === 'feed.reset' && seq > above);
    expect(reset).toBeDefined();
    const after = events.filter(({ seq }) => seq > (reset?.seq ?? 0)).map(({ id }) => id);
    for (const id of ids) expect(after).toContain(id);
  });
};

/** Waits until the log has changes. */
const untilRead = (follower: ReturnType<typeof follow>, ids: string[]) =>
  eventually(async () => {
    const read = (await follower.read()).map(({ id }) => id);
    for (const id of ids) expect(read).toContain(id);
  });

it('reports the rollback of an owner, and continues with its later changes', async () => {
  const { card } = harness.owners;
  const workspace = v7();
  const follower = follow(workspace);
  const [kept = ''] = await card.note(workspace, [{}]);
  await untilRead(follower, [kept]);
  await untilRead(follower, await card.note(workspace, [{}, {}]));
  await runStatements(harness.urls.card, [
    `delete from changes where workspace_id = '${workspace}' and seq > 1`,
    `update feeds set last = 1, last_id = '${kept}', before_id = null where workspace_id = '${workspace}'`,
  ]);
  const ids = await card.note(workspace, [{}, {}, {}, {}]);
  await expectReset(follower, ids);
});

it('has no change twice after the rollback of an owner, however long the changes are', async () => {
  const { card } = harness.owners;
  const workspace = v7();
  const follower = follow(workspace);
  const kept: string[] = [];
  // More than one answer has room for.
  for (let n = 0; n < 8; n += 1) {
    kept.push(...(await card.note(workspace, Array(10).fill({ title: 'x'.repeat(30_000) }))));
  }
  await untilRead(follower, await card.note(workspace, [{}, {}]));
  await runStatements(harness.urls.card, [
    `delete from changes where workspace_id = '${workspace}' and seq > 80`,
    `update feeds set last = 80, last_id = '${kept.at(-1)}', before_id = null where workspace_id = '${workspace}'`,
  ]);
  const ids = await card.note(workspace, [{}, {}, {}]);
  await expectReset(follower, ids);
  const told = (await follower.read()).map(({ id }) => id);
  expect(told).toHaveLength(82 + 1 + 3);
  expect(new Set(told).size).toBe(told.length);
});

it('gives no number again where its own database was rolled back together with an owner', async () => {
  const { card } = harness.owners;
  const workspace = v7();
  const follower = follow(workspace);
  const [kept = ''] = await card.note(workspace, [{}]);
  await untilRead(follower, [kept]);
  const positions = JSON.stringify({ card: { seq: 1, id: kept } });
  await untilRead(follower, await card.note(workspace, [{}, {}]));
  // The register has it then, or will before the process meets its database again.
  await eventually(async () =>
    expect(await runStatements(harness.urls.event, ['select 1 from lineage where tick > 0'])).toHaveLength(1),
  );
  await runStatements(harness.urls.card, [
    `delete from changes where workspace_id = '${workspace}' and seq > 1`,
    `update feeds set last = 1, last_id = '${kept}', before_id = null where workspace_id = '${workspace}'`,
  ]);
  await runStatements(harness.urls.event, [
    `delete from events where workspace_id = '${workspace}' and seq > 1`,
    `update logs set last = 1, through = 1, positions = '${positions}' where workspace_id = '${workspace}'`,
    'update lineage set tick = tick - 1',
  ]);
  await harness.breakConnections().catch(() => {});
  const ids = await eventually(() => card.note(workspace, [{}, {}, {}]));
  await expectReset(follower, ids);
});

it('begins a new log without a reset after a rollback, wherever the first round broke off', async () => {
  // The round that breaks off is to be that of the new log.
  const waiting = 'select from logs where epoch < (select epoch from lineage where epoch > 1)';
  await eventually(async () => expect(await runStatements(harness.urls.event, [waiting])).toEqual([]));
  for (const instance of harness.instances.splice(0)) await instance.stop();
  const workspace = v7();
  const ids = await harness.owners.card.note(workspace, [{}, {}], true);
  const program = fileURLToPath(new URL('./support/killed-instance.ts', import.meta.url));
  const { databaseUrl, natsUrl } = harness.where;
  const [, signal] = await once(fork(program, [databaseUrl, natsUrl, 'before-log-commit'], { execArgv: [] }), 'close');
  expect(signal).toBe('SIGKILL');
  harness.instances.push(await startInstance(harness.where));
  await eventually(async () => expect((await harness.readAll(workspace)).map(({ id }) => id)).toEqual(ids));
});

it('finds the logs that are to be set right without a look at all others', async () => {
  const plan = await harness.db.transaction(async (tx) => {
    await sql`set local enable_seqscan = off`.execute(tx);
    const { rows } = await sql.raw(`explain ${findWaiting.text.replace('$1', '1')}`).execute(tx);
    return JSON.stringify(rows);
  });
  expect(plan).toContain('logs_by_epoch');
});

it('makes its days again where an earlier state lacks them, under living connections', async () => {
  const { card } = harness.owners;
  const workspace = v7();
  const follower = follow(workspace);
  const ids = await card.note(workspace, [{}, {}, {}]);
  await untilRead(follower, ids);
  await runStatements(harness.urls.event, [
    'truncate logs, days, events',
    `do $$ declare day text; begin
      for day in select inhrelid::regclass from pg_inherits where inhparent = 'events'::regclass loop
        execute 'drop table ' || day;
      end loop;
    end $$`,
  ]);
  const later = await card.note(workspace, [{}]);
  await expectReset(follower, [...ids, ...later]);
});

it.each([
  ['and connections break', () => harness.breakConnections().catch(() => {})],
  ['under living connections', async () => {}],
])('gives no number again where the log is lost as a whole, %s', async (_, breakConnections) => {
  const { card } = harness.owners;
  const workspace = v7();
  const follower = follow(workspace);
  const ids = await card.note(workspace, [{}, {}, {}]);
  await untilRead(follower, ids);
  await runStatements(harness.urls.event, ['truncate logs, days, events']);
  await breakConnections();
  const later = await eventually(() => card.note(workspace, [{}]));
  await expectReset(follower, [...ids, ...later]);
});

it('skips a margin where the broker lost its store while it was stopped, and its database was rolled back', async () => {
  const { card } = harness.owners;
  const [workspace, made] = [v7(), v7()];
  const follower = follow(workspace);
  const [kept = ''] = await card.note(workspace, [{}]);
  await untilRead(follower, [kept]);
  await untilRead(follower, await card.note(workspace, [{}, {}]));
  for (const instance of harness.instances.splice(0)) await instance.stop();
  const bus = await testBus(harness.nats.url, 'event');
  for (const key of [lineageKeyOf('event'), logMarkKey(workspace)]) {
    await bus.register.write(key, undefined, (await bus.register.read(key)).revision);
  }
  await runStatements(harness.urls.card, [
    `delete from changes where workspace_id = '${workspace}' and seq > 1`,
    `update feeds set last = 1, last_id = '${kept}', before_id = null where workspace_id = '${workspace}'`,
  ]);
  await runStatements(harness.urls.event, [
    `delete from events where workspace_id = '${workspace}' and seq > 1`,
    `update logs set last = 1, through = 1, positions = '${JSON.stringify({ card: { seq: 1, id: kept } })}'
      where workspace_id = '${workspace}'`,
    `update lineage set ticked_at = clock_timestamp() - interval '1 minute'`,
  ]);
  harness.instances.push(await startInstance(harness.where));
  const ids = await card.note(workspace, [{}, {}, {}]);
  await expectReset(follower, ids, 1 + 1_000);
  // What was skipped was not given out: the next margin is no larger.
  expect(await harness.db.transaction((tx) => setLogsOn(tx, { days: 1, least: 5 }))).toBe(1_000);
  // Of a workspace that is new since, nobody knows either.
  const first = follow(made);
  await untilRead(first, await card.note(made, [{}]));
  expect((await first.read())[0]).toMatchObject({ type: 'feed.reset' });
  expect((await first.read())[0]?.seq).toBeGreaterThan(1_000);
});

it('detects a rollback by one tick also when it is about to raise the tick itself', async () => {
  // The only ones that raise it, so the last ones here.
  for (const instance of harness.instances.splice(0)) await instance.stop();
  const [{ db }, bus] = [harness, await testBus(harness.nats.url, 'event')];
  const logger = createLogger({ service: 'event', level: 'silent' });
  const aLineage = () => createLineage('event', { db, bus, logger, now: () => new Date() }, { hasIssued: sql`true` });
  const [one, other] = [aLineage(), aLineage()];
  let { epoch } = await eventually(one.met);
  await other.met();
  for (const noticing of [one, other]) {
    one.noteWrite();
    await one.sweep();
    await runStatements(harness.urls.event, ['update lineage set tick = tick - 1']);
    noticing.noteWrite();
    await noticing.sweep();
    epoch += 1;
    expect((await noticing.met()).epoch).toBe(epoch);
  }
});
