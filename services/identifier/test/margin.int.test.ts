import {
  type Caller,
  lineageKey,
  markKey,
  mark as markSchema,
  openWorkstream,
  prepareAdoption,
  recordIdentifiers,
} from '@cardinal/contracts';
import { aCaller, aCommand, eventually } from '@cardinal/testkit';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Instance } from './support/instance.ts';
import { askForNumbers, aWorkstream, issued, startWorld } from './support/world.ts';

const world = await startWorld();
let instance = await world.start();

const forget = async ({ context }: Instance, key: string) => {
  const { revision } = await context.bus.register.read(key);
  if (revision > 0) await context.bus.register.write(key, undefined, revision);
};

/**
 * Stops the service, wipes the broker's store, and starts the service again after a time. @returns the epoch since then
 */
const loseRegister = async ({ workspace_id }: Caller, { after = '1 minute', prefixes = ['MAIN', 'WEB'] } = {}) => {
  instance.context.lineage.noteWrite();
  await eventually(() => instance.context.lineage.sweep());
  const { db } = instance.context;
  await db.transaction((tx) =>
    sql`update lineage set ticked_at = clock_timestamp() - ${sql.lit(after)}::interval`.execute(tx),
  );
  for (const key of [lineageKey, ...prefixes.map((prefix) => markKey(workspace_id, prefix))])
    await forget(instance, key);
  await instance.stop();
  instance = await world.start();
  return (await instance.context.lineage.met()).epoch;
};

const markOf = async ({ workspace_id }: Caller, prefix: string) =>
  markSchema.parse((await instance.context.bus.register.read(markKey(workspace_id, prefix))).value);

/** Notes numbers as given out on a day that long before now. */
const giveOut = async (
  caller: Caller,
  web: { id: string; prefix: string },
  from: number,
  count: number,
  age: string,
) => {
  const numbers = Array.from({ length: count }, (_, at) => issued(caller, web, from + at));
  await world.bus.call(recordIdentifiers, { issued: numbers });
  await instance.context.db.transaction((tx) =>
    sql`update identifiers set assigned_at = now() - ${sql.lit(age)}::interval
      where workspace_id = ${caller.workspace_id} and number >= ${from}`.execute(tx),
  );
};

describe('where nobody knows which numbers were given out', () => {
  test('every workstream continues a thousand above what was granted, in register and database', async () => {
    const caller = aCaller();
    const web = await aWorkstream(world, caller, 'WEB');
    const before = await askForNumbers(world, caller, { workstream_id: web.id });
    const epoch = await loseRegister(caller);
    expect(epoch).toBe(2);
    expect(await markOf(caller, 'WEB')).toMatchObject({ through: before.granted_through + 1_000 });
    const granted = await askForNumbers(world, caller, { workstream_id: web.id, epoch });
    expect(granted).toMatchObject({ epoch, epoch_base: before.granted_through + 1_000 });
    expect(granted.granted_through).toBeLessThanOrEqual(granted.epoch_base + 1_000);
    // A process of the previous epoch is granted nothing.
    const outdated = await askForNumbers(world, caller, { workstream_id: web.id, epoch: epoch - 1 });
    expect(outdated.epoch).toBe(epoch);
  });

  test('a busy one continues ten times its daily numbers higher, per day begun', async () => {
    const caller = aCaller();
    const { epoch } = await instance.context.lineage.met();
    const web = await aWorkstream(world, caller, 'WEB');
    await giveOut(caller, web, 1, 300, '40 days');
    await giveOut(caller, web, 301, 150, '2 days');
    await giveOut(caller, web, 451, 20, '0 days');
    const { granted_through } = await askForNumbers(world, caller, { workstream_id: web.id, epoch });
    await loseRegister(caller, { after: '2 days 1 hour' });
    expect(await markOf(caller, 'WEB')).toMatchObject({ through: granted_through + 3 * 10 * 150 });
  });

  test('a workstream that is created later begins behind a thousand, the default one too', async () => {
    const known = aCaller();
    await askForNumbers(world, known, {});
    const before = await instance.context.lineage.beginningOfNew();
    const epoch = await loseRegister(known);
    // Further behind than those that are created between two such losses.
    const { number } = await instance.context.lineage.beginningOfNew();
    expect(number).toBe(before.number + 1_000);
    for (const caller of [known, aCaller()]) {
      const made = await aWorkstream(world, caller, 'NEW');
      const ask = (workstream_id: string | null) => askForNumbers(world, caller, { workstream_id, epoch });
      expect(await ask(made.id)).toMatchObject({ epoch, epoch_base: number });
      expect((await ask(null)).epoch_base).toBeGreaterThanOrEqual(1_000);
    }
  });

  test('an adopting one still adopts, and is opened behind the margin', async () => {
    const caller = aCaller();
    const old = await aWorkstream(world, caller, 'WEB', { adopting: true });
    const behind = Math.max(50, (await instance.context.lineage.beginningOfNew()).number) + 1_000;
    const prepare = (epoch: number) =>
      world.bus.call(prepareAdoption, {
        workspace_id: caller.workspace_id,
        workstream_id: old.id,
        epoch,
        numbers: [50],
        former: [],
      });
    await prepare((await instance.context.lineage.met()).epoch);
    const epoch = await loseRegister(caller);
    expect(await markOf(caller, 'WEB')).toMatchObject({ through: behind, adopting: true });
    expect(await prepare(epoch)).toMatchObject({ epoch, workstreams: [{ id: old.id }] });
    const opening = { ...caller, workstream_id: old.id, command: aCommand(), if_match: [1], body: {} };
    world.card.adopted = 50;
    await world.bus.call(openWorkstream, opening);
    const granted = await askForNumbers(world, caller, { workstream_id: old.id, last_number: 50, epoch });
    expect(granted.epoch_base).toBeGreaterThanOrEqual(behind);
  });
});
