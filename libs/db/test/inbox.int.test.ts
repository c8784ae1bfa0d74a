import { describe, expect, it } from 'vitest';
import { applyOnce, deadLetter, purgeInbox } from '../src/index.ts';
import { event, gate, migratedDatabase, select, untilWaiting } from './fixtures.ts';

describe('applyOnce', () => {
  it('runs the function the first time only', async () => {
    const { db } = await migratedDatabase();
    const one = event();
    let runs = 0;
    const count = async () => {
      runs += 1;
    };
    const apply = () => db.transaction((tx) => applyOnce(tx, one, count));
    expect(await apply()).toBe(true);
    expect(await apply()).toBe(false);
    expect(await db.transaction((tx) => applyOnce(tx, event(), count))).toBe(true);
    expect(runs).toBe(2);
  });

  it('runs it again where the transaction did not commit', async () => {
    const { db } = await migratedDatabase();
    const one = event();
    const failing = db.transaction((tx) => applyOnce(tx, one, () => Promise.reject(new Error('no'))));
    await expect(failing).rejects.toThrow('no');
    expect(await db.transaction((tx) => applyOnce(tx, one, async () => {}))).toBe(true);
  });

  it('waits for the same event being applied elsewhere', async () => {
    const { db } = await migratedDatabase();
    const one = event();
    const hold = gate();
    const applying = gate();
    const first = db.transaction((tx) =>
      applyOnce(tx, one, () => {
        applying.resolve();
        return hold.promise;
      }),
    );
    await applying.promise;
    const second = db.transaction((tx) => applyOnce(tx, one, async () => {}));
    await untilWaiting(db);
    hold.resolve();
    expect(await Promise.all([first, second])).toEqual([true, false]);
  });
});

describe('purgeInbox', () => {
  it('forgets what was applied before the given time', async () => {
    const { db } = await migratedDatabase();
    await db.transaction((tx) => applyOnce(tx, event(), async () => {}));
    expect(await purgeInbox(db, new Date(Date.now() - 60_000))).toBe(0);
    expect(await purgeInbox(db, new Date(Date.now() + 60_000))).toBe(1);
  });
});

describe('deadLetter', () => {
  it('keeps whatever arrived, with the error', async () => {
    const { db } = await migratedDatabase();
    const one = event();
    await deadLetter(db, one, new Error('cannot apply'));
    await deadLetter(db, 'not an event: \0 \ud800', 'bytes \0 \ud800');
    await deadLetter(db, undefined, undefined);
    const rows = await select<{ event: unknown; error: string }>(
      db,
      'select event, error from dead_letters order by failed_at, event::text desc',
    );
    expect(rows).toContainEqual({ event: one, error: expect.stringContaining('cannot apply') });
    expect(rows).toContainEqual({ event: 'not an event: \0 \ud800', error: 'bytes  \ufffd' });
    expect(rows).toContainEqual({ event: null, error: 'undefined' });
  });
});
