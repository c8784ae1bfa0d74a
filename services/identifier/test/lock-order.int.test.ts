import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { lockCounters } from '../src/store/lock-counters.ts';
import { aCaller, askForNumber, aWorkstream, startWorld } from './support/world.ts';

test('counters are locked in the order of their ids, in whatever order a batch names them', async () => {
  const world = await startWorld();
  const { db } = (await world.start()).parts;
  const caller = aCaller();
  const [one, two] = [await aWorkstream(world, caller, 'ONE'), await aWorkstream(world, caller, 'TWO')];
  await askForNumber(world, caller, { workstream_id: one.id });
  const named = (...candidates: string[]) => [{ workspace_id: caller.workspace_id, candidates }];

  const blocked = async () => {
    const { rows } = await db.read((tx) =>
      sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%workstreams%'`.execute(tx),
    );
    return rows.length;
  };

  const waiting = await db.transaction(async (holder) => {
    await lockCounters(holder, named(one.id));
    const waiter = db.transaction((tx) => lockCounters(tx, named(two.id, one.id)));
    await expect.poll(blocked).toBe(1);
    // Whoever waits for the first one must not hold the second one meanwhile.
    await sql`select from workstreams where id = ${two.id} for update nowait`.execute(holder);
    return [waiter];
  });
  expect((await waiting[0])?.map((counter) => counter.workstream.prefix)).toEqual(['ONE', 'TWO']);
});
