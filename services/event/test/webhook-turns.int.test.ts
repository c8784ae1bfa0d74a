import { sql } from 'kysely';
import { v7 } from 'uuid';
import { describe, expect, it, vi } from 'vitest';
import { createLanes } from '../src/webhooks/lanes.ts';
import type { LeasedWebhook } from '../src/webhooks/leases.ts';
import { createRecord, LeaseLost } from '../src/webhooks/record.ts';
import { aCaller, startHarness } from './support/webhook-harness.ts';

const harness = await startHarness();
const leaseMs = 10_000;

/** The record of a turn that has a webhook, of which nothing is due. */
const aTurn = async (db = harness.db) => {
  const by = aCaller();
  const { id } = await harness.hook(by, 'http://127.0.0.1:1/');
  const lease = () =>
    harness.db.statement(async (tx) => {
      const { rows } = await sql<LeasedWebhook>`
        update webhooks set lease_id = ${v7()}, leased_until = now() + interval '10 s'
        where id = ${id} returning *`.execute(tx);
      return rows[0] as LeasedWebhook;
    });
  const lanes = createLanes();
  let ahead = 0;
  const now = () => new Date(Date.now() + ahead);
  const record = createRecord({ db, now, lanes, webhook: await lease(), leaseMs });
  return {
    by,
    id,
    record,
    /** Somebody else takes it. */
    lease,
    /** Something fails so often that the webhook is to be called failing. */
    fail: () => {
      const [firstFailedAt, dueAt] = [now().getTime(), now().getTime() + 60_000];
      const about = { id: v7(), type: 'card.updated', lane: 'workspace', isStored: false };
      lanes.add({ seq: 1, ...about, attempts: 3, firstFailedAt, dueAt });
    },
    write: () => {
      ahead += 2_000;
      return new Promise<void>((resolve) => record.writeInTime(resolve));
    },
  };
};

describe('a webhook that somebody paused during a turn', () => {
  it.each(['before it is found out', 'after it'])('stays so, though it is to be called failing %s', async (when) => {
    const { by, id, record, fail, write } = await aTurn();
    await harness.patch(by, id, { state: 'paused' });
    if (when === 'before it is found out') fail();
    await write();
    expect(record.isOver()).toBe(true);
    if (when === 'after it') fail();
    await record.end(() => null);
    expect(await harness.read(by, id)).toMatchObject({ state: 'paused', version: 2 });
  });
});

describe('a turn', () => {
  it('that could not write down what failed writes nothing later that passes over it', async () => {
    const problem = new Error('the database was away for a moment');
    const statement = vi.fn(harness.db.statement).mockRejectedValueOnce(problem);
    const { id, record, fail, write } = await aTurn({
      ...harness.db,
      statement: statement as typeof harness.db.statement,
    });
    fail();
    record.read({ items: [], through: 1, hasMore: false, lost: undefined });
    await write();
    // Attempts under way keep the turn going.
    record.say('one of them');
    void write();
    await expect(record.end(() => null)).rejects.toThrow(problem);
    const { rows } = await harness.db.read((tx) => sql`select position from webhooks where id = ${id}`.execute(tx));
    expect(rows).toEqual([{ position: 0 }]);
  });

  it('begins nothing more once others may have its webhook', async () => {
    const { record, lease, write } = await aTurn();
    await write();
    expect(record.isOver()).toBe(false);
    const clock = vi.spyOn(performance, 'now');
    try {
      clock.mockReturnValue(performance.now() + leaseMs);
      expect(record.isOver()).toBe(true);
    } finally {
      clock.mockRestore();
    }
    await lease();
    await expect(record.end(() => null)).rejects.toThrow(LeaseLost);
  });
});
