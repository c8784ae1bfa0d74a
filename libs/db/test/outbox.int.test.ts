import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Event } from '@cardinal/contracts';
import { startProxy } from '@cardinal/testkit';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { appendEvents, type Database, deadLetter, type RelayOptions, startRelay } from '../src/index.ts';
import { purgeOutbox, reopenOutbox } from '../src/outbox.ts';

import { event, eventually, migratedDatabase, open, recordingLogger, select, type Tables } from './fixtures.ts';

const append = (db: Database<Tables>, events: Event[]) => db.transaction((tx) => appendEvents(tx, events));
const unpublished = (db: Database<Tables>) => select(db, 'select id from outbox where published_at is null');
const ids = (events: Event[]) => events.map((one) => one.id);

function relay(options: Omit<RelayOptions<Tables>, 'logger'>) {
  const { logger, lines } = recordingLogger();
  const started = startRelay({ pollMs: 20, logger, ...options });
  onTestFinished(() => started.stop());
  return { ...started, lines };
}

describe('appendEvents', () => {
  it('writes the events with the transaction, or not at all', async () => {
    const { db } = await migratedDatabase();
    const events = [event(), event()];
    await append(db, events);
    const failing = db.transaction(async (tx) => {
      await appendEvents(tx, [event()]);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await append(db, []);
    expect(await select(db, 'select id, subject, event from outbox order by id')).toEqual(
      events.map((one) => ({ id: one.id, subject: 'evt.card.updated', event: one })),
    );
  });
});

describe('startRelay', () => {
  it('publishes in the order of ids what is there and what comes, on a nudge', async () => {
    const { db } = await migratedDatabase();
    const published: Event[] = [];
    const before = [event(), event(), event()];
    await append(db, before.toReversed());
    const { nudge } = relay({ db, pollMs: 3_600_000, publish: async (one) => void published.push(one) });
    await eventually(() => unpublished(db)).toEqual([]);
    const after = event();
    await append(db, [after]);
    nudge();
    await eventually(() => unpublished(db)).toEqual([]);
    expect(published).toEqual([...before, after]);
  });

  it('publishes an event that committed after younger ones had gone out', async () => {
    const { db } = await migratedDatabase();
    const published: string[] = [];
    relay({ db, publish: async (one) => void published.push(one.id) });
    const older = event();
    const younger = event();
    await append(db, [younger]);
    await eventually(() => published).toEqual([younger.id]);
    await append(db, [older]);
    await eventually(() => published).toEqual([younger.id, older.id]);
  });

  it('shares the work of many batches with other instances: each event goes out once', async () => {
    const { url, db } = await migratedDatabase();
    const events = Array.from({ length: 1_500 }, () => event());
    const published: { by: number; id: string }[] = [];
    for (const by of [1, 2, 3])
      relay({ db: open(url), publish: async (one) => void published.push({ by, id: one.id }) });
    for (let i = 0; i < events.length; i += 100) await append(db, events.slice(i, i + 100));
    await eventually(() => unpublished(db)).toEqual([]);
    expect(published.map(({ id }) => id).sort()).toEqual(ids(events).sort());
  });

  it('takes over what a frozen instance had taken', async () => {
    const { url, db } = await migratedDatabase();
    const events = [event(), event()];
    await append(db, events);
    const taken: Event[] = [];
    const frozen = Promise.withResolvers<void>();
    const first = relay({
      db: open(url),
      leaseMs: 200,
      publish: (one) => {
        taken.push(one);
        return frozen.promise;
      },
    });
    await eventually(() => taken).toHaveLength(2);
    const published: Event[] = [];
    relay({ db, publish: async (one) => void published.push(one) });
    await eventually(() => unpublished(db)).toEqual([]);
    expect(published).toEqual(events);
    frozen.resolve();
    await first.stop();
  });

  it('goes on past events that the broker refuses, and tries those again', async () => {
    const { db } = await migratedDatabase();
    const events = Array.from({ length: 450 }, () => event());
    const refused = new Set(ids(events.slice(0, 200)));
    const published = new Set<string>();
    await append(db, events);
    const { lines } = relay({
      db,
      leaseMs: 2_000,
      publish: async (one) => {
        if (refused.has(one.id)) throw new Error('refused');
        published.add(one.id);
      },
    });
    await eventually(() => published.size).toBe(250);
    await eventually(() => unpublished(db)).toHaveLength(200);
    refused.clear();
    await eventually(() => unpublished(db)).toEqual([]);
    expect(published.size).toBe(450);
    expect(lines.filter((line) => line.level === 'error')).toHaveLength(1);
  });

  it('waits out a broker that is down, with one line in the log, and then says that it is back', async () => {
    const { db } = await migratedDatabase();
    const down = vi.fn(() => Promise.reject(new Error('no responders')));
    const { lines } = relay({ db, leaseMs: 10, publish: down });
    await append(db, [event()]);
    await eventually(() => down.mock.calls.length).toBeGreaterThanOrEqual(3);
    expect(lines).toMatchObject([
      { level: 'error', err: { message: expect.stringMatching(/^events wait in the outbox/) } },
    ]);
    down.mockResolvedValue(undefined as never);
    await eventually(() => unpublished(db)).toEqual([]);
    await eventually(() => lines.map((line) => line.level)).toEqual(['error', 'info']);
  });

  it('waits out a database that is down', async () => {
    const { url, db } = await migratedDatabase();
    const proxy = await startProxy(url);
    const published: string[] = [];
    const { lines } = relay({ db: open(proxy.url), publish: async (one) => void published.push(one.id) });
    proxy.refuse();
    const complaints = () => lines.filter(({ level }) => level === 'error');
    await eventually(complaints).toHaveLength(1);
    const one = event();
    await append(db, [one]);
    proxy.accept();
    await eventually(() => published).toEqual([one.id]);
    expect(complaints()).toHaveLength(1);
  });

  it('stops after the batch in hand, which is marked', async () => {
    const { db } = await migratedDatabase();
    await append(db, [event()]);
    const publishing = Promise.withResolvers<void>();
    const acknowledged = Promise.withResolvers<void>();
    const { stop } = relay({
      db,
      publish: () => {
        publishing.resolve();
        return acknowledged.promise;
      },
    });
    await publishing.promise;
    const stopped = stop();
    acknowledged.resolve();
    await stopped;
    expect(await unpublished(db)).toEqual([]);
  });

  it('publishes again what a process killed between publishing and marking left', async () => {
    const { url, db } = await migratedDatabase();
    const events = [event(), event()];
    await append(db, events);
    const child = fork(fileURLToPath(new URL('./killed-relay.ts', import.meta.url)), [url], { execArgv: [] });
    const sent: string[] = [];
    child.on('message', (id) => sent.push(String(id)));
    const [, signal] = await once(child, 'close');
    expect(signal).toBe('SIGKILL');
    expect(sent).toEqual(ids(events));
    expect(await unpublished(db)).toHaveLength(2);
    const published: Event[] = [];
    relay({ db, publish: async (one) => void published.push(one) });
    await eventually(() => unpublished(db)).toEqual([]);
    expect(published).toEqual(events);
  });
});

describe('refill', () => {
  const mark = (db: Database<Tables>) =>
    db.transaction((tx) => sql`update outbox set published_at = now()`.execute(tx));

  it('publishes again everything that the broker had, and what comes after once', async () => {
    const { db } = await migratedDatabase();
    const lost = Array.from({ length: 450 }, () => event());
    await append(db, lost);
    await mark(db);
    const published: string[] = [];
    const { refill, nudge } = relay({ db, pollMs: 3_600_000, publish: async (one) => void published.push(one.id) });
    await refill();
    await eventually(() => unpublished(db)).toEqual([]);
    expect(published).toEqual(ids(lost));
    const next = event();
    await append(db, [next]);
    nudge();
    await eventually(() => unpublished(db)).toEqual([]);
    expect(published).toEqual([...ids(lost), next.id]);
  });

  it('publishes again what another instance gave to the lost broker and had not marked yet', async () => {
    const { url, db } = await migratedDatabase();
    const inHand = event();
    await append(db, [inHand]);
    const given = Promise.withResolvers<void>();
    const acknowledged = Promise.withResolvers<void>();
    const slow = relay({
      db: open(url),
      publish: () => {
        given.resolve();
        return acknowledged.promise;
      },
    });
    await given.promise;
    const stopped = slow.stop();
    expect(await reopenOutbox(db)).toBe(1);
    acknowledged.resolve();
    await stopped;
    expect(await unpublished(db)).toHaveLength(1);
    const published: Event[] = [];
    relay({ db, publish: async (one) => void published.push(one) });
    await eventually(() => published).toEqual([inHand]);
  });
});

describe('purgeOutbox', () => {
  it('deletes what was published long ago and nothing else', async () => {
    const { db } = await migratedDatabase();
    const now = Date.now();
    const day = 86_400_000;
    const [old, waiting, fresh] = [
      event({ id: v7({ msecs: now - 9 * day }) }),
      event({ id: v7({ msecs: now - 9 * day }) }),
      event(),
    ];
    await append(db, [old, waiting, fresh]);
    await db.transaction((tx) =>
      sql`update outbox set published_at = ${new Date(now - 8 * day)} where id = ${old.id}`.execute(tx),
    );
    await db.transaction((tx) => sql`update outbox set published_at = now() where id = ${fresh.id}`.execute(tx));
    expect(await purgeOutbox(db, new Date(now - 7 * day))).toBe(1);
    expect((await select<{ id: string }>(db, 'select id from outbox order by id')).map(({ id }) => id)).toEqual([
      waiting.id,
      fresh.id,
    ]);
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
