import { CardinalError } from '@cardinal/contracts';
import { sql } from 'kysely';
import { v4, v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import {
  type AnyTransaction,
  answerCommand,
  findCommand,
  purgeCommands,
  replayOf,
  runIdempotently,
} from '../src/index.ts';
import { gate, migratedDatabase, open, select, untilWaiting, workspaceId } from './fixtures.ts';

const mutation = (fingerprint = 'f') => ({ workspace_id: workspaceId, command: { id: v7(), fingerprint } });
type Mutation = ReturnType<typeof mutation>;
const misused = ({ command, ...one }: Mutation): Mutation => ({ ...one, command: { ...command, fingerprint: 'g' } });
/** A purge at the worst time. */
const forget = (tx: AnyTransaction, { command }: Mutation) =>
  sql`delete from commands where id = ${command.id}`.execute(tx);

const now = new Date('2026-01-02T03:04:05.678Z');
const reused = { code: 'idempotency_key_reused' };

describe('replayOf', () => {
  it('distinguishes new, ended, pending and misused commands', async () => {
    const { db } = await migratedDatabase();
    const [ended, pending] = [mutation(), mutation()];
    const response = { title: 'a "b" \\ {c}' };
    const replay = (one: Mutation) => db.transaction((tx) => replayOf(tx, one, now));
    expect(await replay(ended)).toBeUndefined();
    expect(await replay(pending)).toBeUndefined();
    await db.transaction((tx) => answerCommand(tx, ended, response, now));

    expect(await replay(ended)).toEqual({ resource: response, replayed: true });
    await expect(replay(pending)).rejects.toMatchObject({ code: 'unavailable' });
    await expect(replay(misused(ended))).rejects.toMatchObject(reused);
    await expect(replay(misused(pending))).rejects.toMatchObject(reused);
    const [row] = await select<{ created_at: Date }>(db, 'select created_at from commands');
    expect(row?.created_at).toEqual(now);
  });

  it('keeps the ids of two workspaces apart', async () => {
    const { db } = await migratedDatabase();
    const one = mutation();
    const foreign = { ...misused(one), workspace_id: v7() };
    const claim = (which: Mutation) => db.transaction((tx) => replayOf(tx, which, now));
    expect([await claim(one), await claim(foreign)]).toEqual([undefined, undefined]);
  });

  const refuse = () => Promise.reject(new CardinalError('not_found', 'no such card'));
  const answer = (tx: AnyTransaction, one: Mutation) => answerCommand(tx, one, { n: 1 }, now);

  it.each([
    ['ends: it has the response that was left', false, answer, { resource: { n: 1 }, replayed: true }],
    ['rolls back: it is claimed', false, refuse, undefined],
    ['is being deleted: it is claimed', true, forget, undefined],
  ])('waits for the transaction that holds the command, which %s', async (_, isClaimed, ending, expected) => {
    const { db } = await migratedDatabase();
    const [one, hold, holding] = [mutation(), gate(), gate()];
    if (isClaimed) await db.transaction((tx) => replayOf(tx, one, now));
    const first = db.transaction(async (tx) => {
      if (isClaimed) await ending(tx, one);
      else await replayOf(tx, one, now);
      holding.resolve();
      await hold.promise;
      if (!isClaimed) await ending(tx, one);
    });
    await holding.promise;
    const second = db.transaction((tx) => replayOf(tx, one, now));
    await untilWaiting(db);
    hold.resolve();
    await Promise.allSettled([first]);
    expect(await second).toEqual(expected);
  });

  it('claims a command that was deleted between the failed insert and the look-up', async () => {
    const { db } = await migratedDatabase();
    const one = mutation();
    await db.transaction((tx) => replayOf(tx, one, now));
    const second = db.transaction((tx) => {
      const release = () => db.transaction((other) => forget(other, one));
      return replayOf(beforeStatement(tx, 2, release), one, now);
    });
    expect(await second).toBeUndefined();
  });
});

/** The transaction `tx`, with `hook` run before the `nth` statement. */
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

describe('runIdempotently', () => {
  it('runs the work of each command once, however many requests arrive at once', async () => {
    const { url } = await migratedDatabase();
    const db = open(url, { poolSize: 8 });
    const commands = Array.from({ length: 10 }, () => mutation());
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, (_, at) => commands[at % commands.length] as Mutation).map(async (one) => ({
        id: one.command.id,
        ...(await db.transaction((tx) => runIdempotently(tx, one, now, async () => v4()))),
      })),
    );
    const done = outcomes.filter(({ replayed }) => !replayed);
    expect(done.map(({ id }) => id).sort()).toEqual(commands.map(({ command }) => command.id).sort());
    for (const { id, resource } of outcomes) expect(resource).toBe(done.find((one) => one.id === id)?.resource);
  });
});

describe('answerCommand', () => {
  it('keeps the first response of an ended command', async () => {
    const { db } = await migratedDatabase();
    const one = mutation();
    await db.transaction(async (tx) => {
      await runIdempotently(tx, one, now, async () => 'first');
      await answerCommand(tx, one, 'second', now);
    });
    expect(await db.read((tx) => findCommand(tx, workspaceId, one.command))).toMatchObject({ response: 'first' });
  });
});

describe('purgeCommands', () => {
  it('deletes commands that ended long ago, and no others', async () => {
    const { db } = await migratedDatabase();
    const [old, late, fresh, pending] = [mutation(), mutation(), mutation(), mutation()];
    const day = 86_400_000;
    const at = (days: number) => new Date(now.getTime() + days * day);
    await db.transaction(async (tx) => {
      for (const one of [old, late, pending]) await replayOf(tx, one, at(0));
      await answerCommand(tx, old, 1, at(0));
      await answerCommand(tx, late, 1, at(3));
      await runIdempotently(tx, fresh, at(3), async () => 1);
    });
    expect(await purgeCommands(db, at(2))).toBe(1);
    const rows = await select<{ id: string }>(db, 'select id from commands');
    expect(rows.map((row) => row.id).sort()).toEqual([late, fresh, pending].map(({ command }) => command.id).sort());
  });
});
