import { CardinalError } from '@cardinal/contracts';
import { sql } from 'kysely';
import { v4, v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { type AnyTransaction, claimCommands, endCommands, findCommand, purgeCommands } from '../src/index.ts';
import { gate, migratedDatabase, open, select, untilWaiting, workspaceId } from './fixtures.ts';

const command = (id: string = v7(), fingerprint = 'f') => ({ workspaceId, id, fingerprint });
/** What a purge does at the worst moment. */
const forget = (tx: AnyTransaction, { id }: { id: string }) => sql`delete from commands where id = ${id}`.execute(tx);

const now = new Date('2026-01-02T03:04:05.678Z');
const claimed = { state: 'claimed' };
const reused = expect.objectContaining({ code: 'idempotency_key_reused' });

describe('claimCommands', () => {
  it('answers in the order of the claims, whatever the order of ids', async () => {
    const { db } = await migratedDatabase();
    const [ended, pending, other] = [command(), command(), command()];
    await db.transaction((tx) => claimCommands(tx, [ended, pending, other], now));
    await db.transaction((tx) => endCommands(tx, [{ ...ended, response: { title: 'a "b" \\ {c}' } }], now));

    const claims = [command(v4()), { ...other, fingerprint: 'g' }, command(v4()), ended, pending, command(v4())];
    expect(await db.transaction((tx) => claimCommands(tx, claims, now))).toEqual([
      claimed,
      reused,
      claimed,
      { state: 'ended', response: { title: 'a "b" \\ {c}' } },
      { state: 'pending' },
      claimed,
    ]);
    const rows = await select<{ created_at: Date }>(db, 'select created_at from commands');
    expect(rows).toHaveLength(6);
    expect(rows[0]?.created_at).toEqual(now);
  });

  it('claims an id given twice once', async () => {
    const { db } = await migratedDatabase();
    const one = command();
    const claims = [one, { ...one, id: one.id.toUpperCase() }, { ...one, fingerprint: 'g' }];
    expect(await db.transaction((tx) => claimCommands(tx, claims, now))).toEqual([
      claimed,
      { state: 'pending' },
      reused,
    ]);
  });

  it('keeps the ids of two workspaces apart', async () => {
    const { db } = await migratedDatabase();
    const one = command();
    const foreign = { ...one, workspaceId: v7(), fingerprint: 'g' };
    expect(await db.transaction((tx) => claimCommands(tx, [one, foreign], now))).toEqual([claimed, claimed]);
  });

  it('accepts an empty batch', async () => {
    const { db } = await migratedDatabase();
    expect(await db.transaction((tx) => claimCommands(tx, [], now))).toEqual([]);
  });

  it('waits for a claim under way and sees the response it left', async () => {
    const { db } = await migratedDatabase();
    const one = command();
    const hold = gate();
    const claiming = gate();
    const first = db.transaction(async (tx) => {
      await claimCommands(tx, [one], now);
      await endCommands(tx, [{ ...one, response: { n: 1 } }], now);
      claiming.resolve();
      await hold.promise;
    });
    await claiming.promise;
    const second = db.transaction((tx) => claimCommands(tx, [command(), one, command()], now));
    await untilWaiting(db);
    hold.resolve();
    await first;
    expect(await second).toEqual([claimed, { state: 'ended', response: { n: 1 } }, claimed]);
  });

  it('wins where the claim under way rolls back', async () => {
    const { db } = await migratedDatabase();
    const one = command();
    const hold = gate();
    const claiming = gate();
    const first = db.transaction(async (tx) => {
      await claimCommands(tx, [one], now);
      claiming.resolve();
      await hold.promise;
      throw new CardinalError('not_found', 'no such card');
    });
    await claiming.promise;
    const second = db.transaction((tx) => claimCommands(tx, [{ ...one, fingerprint: 'g' }], now));
    await untilWaiting(db);
    hold.resolve();
    await expect(first).rejects.toMatchObject({ code: 'not_found' });
    expect(await second).toEqual([claimed]);
  });

  it('wins where the pending claim is being deleted', async () => {
    const { db } = await migratedDatabase();
    const one = command();
    await db.transaction((tx) => claimCommands(tx, [one], now));
    const hold = gate();
    const releasing = gate();
    const first = db.transaction(async (tx) => {
      await forget(tx, one);
      releasing.resolve();
      await hold.promise;
    });
    await releasing.promise;
    const second = db.transaction((tx) => claimCommands(tx, [one], now));
    await untilWaiting(db);
    hold.resolve();
    await first;
    expect(await second).toEqual([claimed]);
  });

  it('gives each command to exactly one of many batches that overlap in different orders', async () => {
    const { url } = await migratedDatabase();
    const db = open(url, { poolSize: 8 });
    const commands = Array.from({ length: 120 }, () => command(v4()));
    const batches = Array.from({ length: 24 }, (_, i) => {
      const turned = [...commands.slice(i * 5), ...commands.slice(0, i * 5)];
      return i % 2 ? turned.reverse() : turned;
    });
    const results = await Promise.all(
      batches.map((batch) =>
        db.transaction(async (tx) => {
          const states = await claimCommands(tx, batch, now);
          const own = batch.filter((_, i) => (states[i] as { state: string }).state === 'claimed');
          await endCommands(
            tx,
            own.map((one) => ({ ...one, response: one.id })),
            now,
          );
          return { states, batch, own };
        }),
      ),
    );
    expect(results.flatMap(({ own }) => own.map((one) => one.id)).sort()).toEqual(commands.map((c) => c.id).sort());
    for (const { states, batch, own } of results) {
      const others = batch.flatMap((one, i) => (own.includes(one) ? [] : [[states[i], one.id]]));
      for (const [state, id] of others) expect(state).toEqual({ state: 'ended', response: id });
    }
  });

  it('claims what was deleted between finding it taken and looking at it', async () => {
    const { db } = await migratedDatabase();
    const one = command();
    await db.transaction((tx) => claimCommands(tx, [one], now));
    const states = await db.transaction((tx) => {
      const release = () => db.transaction((other) => forget(other, one));
      return claimCommands(beforeStatement(tx, 2, release), [command(), one], now);
    });
    expect(states).toEqual([claimed, claimed]);
  });

  it('locks in one order, whatever the order of the claims', async () => {
    const { db } = await migratedDatabase();
    const [low, middle, high] = [command(), command(), command()];
    const hold = gate();
    const holding = gate();
    const first = db.transaction(async (tx) => {
      await claimCommands(tx, [middle], now);
      holding.resolve();
      await hold.promise;
    });
    await holding.promise;
    // Were each to lock in the order given, both would hold one end and then want the other.
    const rising = db.transaction((tx) => claimCommands(tx, [low, middle, high], now));
    const falling = db.transaction((tx) => claimCommands(tx, [high, middle, low], now));
    await untilWaiting(db, 2);
    hold.resolve();
    await first;
    const states = (await Promise.all([rising, falling])).map((claims) =>
      claims.map((one) => 'state' in one && one.state),
    );
    expect(states.sort()).toEqual([
      ['claimed', 'pending', 'claimed'],
      ['pending', 'pending', 'pending'],
    ]);
  });
});

/** The transaction `tx`, in which `hook` runs before the `nth` statement. */
function beforeStatement(tx: AnyTransaction, nth: number, hook: () => Promise<unknown>): AnyTransaction {
  let statements = 0;
  const executor = tx.getExecutor();
  const hooked = new Proxy(executor, {
    get(target, key) {
      const member = Reflect.get(target, key, target);
      if (typeof member !== 'function') return member;
      if (key !== 'executeQuery') return member.bind(target);
      return async (...args: unknown[]) => {
        statements += 1;
        if (statements === nth) await hook();
        return member.apply(target, args);
      };
    },
  });
  return { isTransaction: true, getExecutor: () => hooked };
}

describe('findCommand', () => {
  it('tells new, pending, ended and misused apart', async () => {
    const { db } = await migratedDatabase();
    const one = command();
    const find = (fingerprint: string) => db.read((tx) => findCommand(tx, workspaceId, { id: one.id, fingerprint }));
    expect(await find('f')).toBeUndefined();
    await db.transaction((tx) => claimCommands(tx, [one], now));
    expect(await find('f')).toEqual({ state: 'pending' });
    await expect(find('g')).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    await db.transaction((tx) => endCommands(tx, [{ ...one, response: undefined }], now));
    expect(await find('f')).toEqual({ state: 'ended', response: null });
  });
});

describe('endCommands', () => {
  it('keeps the first response of an ended command', async () => {
    const { db } = await migratedDatabase();
    const one = command();
    await db.transaction(async (tx) => {
      await claimCommands(tx, [one], now);
      await endCommands(tx, [{ ...one, response: 'first' }], now);
      await endCommands(tx, [{ ...one, response: 'second' }], now);
    });
    expect(await db.read((tx) => findCommand(tx, workspaceId, one))).toEqual({ state: 'ended', response: 'first' });
  });
});

describe('purgeCommands', () => {
  it('forgets what ended long ago and nothing else', async () => {
    const { db } = await migratedDatabase();
    const [old, late, fresh, pending] = [command(), command(), command(), command()];
    const day = 86_400_000;
    const at = (days: number) => new Date(now.getTime() + days * day);
    await db.transaction(async (tx) => {
      await claimCommands(tx, [old, late, pending], at(0));
      await endCommands(tx, [{ ...old, response: 1 }], at(0));
      await endCommands(tx, [{ ...late, response: 1 }], at(3));
      await claimCommands(tx, [fresh], at(3));
      await endCommands(tx, [{ ...fresh, response: 1 }], at(3));
    });
    expect(await purgeCommands(db, at(2))).toBe(1);
    const rows = await select<{ id: string }>(db, 'select id from commands');
    expect(rows.map((row) => row.id).sort()).toEqual([late.id, fresh.id, pending.id].sort());
  });
});
