import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Database, migrate, openDatabase } from '@cardinal/db';
import { createLogger, currentContext } from '@cardinal/runtime';
import { eventually, testDatabase } from '@cardinal/testkit';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createJobs, enqueue, type Job, runJobs } from '../src/index.ts';
import { leaseJob } from '../src/lease.ts';

type Tables = Record<never, never>;
type Options = Parameters<typeof runJobs>[1];
type NewJob = Parameters<typeof enqueue>[1][number];

const logger = createLogger({ service: 'test', level: 'silent' });
const hourMs = 3_600_000;

/**
 * Creates a queue in a new database. `clock.ahead` advances its clock, ms. `begun` lists the keys of the jobs that ran.
 */
const newQueue = async (options: Partial<Options> = {}) => {
  const { url } = await testDatabase();
  await migrate({ url, migrations: { '0001_jobs': async () => ({ up: createJobs }) } });
  const db: Database<Tables> = openDatabase({ url, name: 'test', poolSize: 5 });
  onTestFinished(() => db.close());
  const clock = { ahead: 0 };
  const now = () => new Date(Date.now() + clock.ahead);
  const begun: string[] = [];
  const usual: Options = {
    kind: 'test',
    intervalMs: 20,
    leaseMs: 60_000,
    run: async ({ key }) => {
      begun.push(key);
      return undefined;
    },
  };
  return {
    url,
    db,
    clock,
    begun,
    start: (more: Partial<Options> = {}, on = db) => {
      const started = runJobs({ db: on, logger, now }, { ...usual, ...options, ...more });
      onTestFinished(() => started.stop());
      return started;
    },
    ask: (...jobs: Partial<NewJob>[]) =>
      db.transaction((tx) =>
        enqueue(
          tx,
          jobs.map((job) => ({ workspace_id: v7(), kind: 'test', key: v7(), user_id: v7(), due_at: now(), ...job })),
          now(),
        ),
      ),
    rows: async () => {
      const { rows } = await db.read((tx) =>
        sql<Job & { due_at: Date; error: string | null }>`select * from jobs order by id`.execute(tx),
      );
      return rows;
    },
  };
};

describe('a job', () => {
  it('runs once and is deleted, with several processes', async () => {
    const { ask, start, begun, rows } = await newQueue({ atOnce: 3 });
    const keys = Array.from({ length: 60 }, (_, at) => String(at));
    await ask(...keys.map((key) => ({ key, workspace_id: v7() })));
    start();
    start();
    await eventually(async () => expect(await rows()).toEqual([]));
    expect(begun.toSorted()).toEqual(keys.toSorted());
  });

  it('exists only if its transaction commits, and is enqueued once if requested twice', async () => {
    const { db, ask, rows } = await newQueue();
    const job = { workspace_id: v7(), kind: 'test', key: 'k', user_id: v7(), due_at: new Date() };
    const failing = db.transaction(async (tx) => {
      await enqueue(tx, [job], new Date());
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await rows()).toEqual([]);
    await ask(job);
    await ask(job);
    expect(await rows()).toHaveLength(1);
  });

  it('runs as its user, in its workspace', async () => {
    const { ask, start } = await newQueue();
    const [workspaceId, userId] = [v7(), v7()];
    await ask({ workspace_id: workspaceId, user_id: userId });
    const caller = await new Promise((resolve) => {
      start({ run: async () => void resolve(currentContext()?.caller) });
    });
    expect(caller).toEqual({ workspaceId, userId });
  });

  it('does not run before it is due', async () => {
    const { ask, start, begun, clock } = await newQueue();
    await ask({ key: 'late', due_at: new Date(Date.now() + hourMs) }, { key: 'now' });
    start();
    await eventually(() => expect(begun).toEqual(['now']));
    clock.ahead = hourMs;
    await eventually(() => expect(begun).toEqual(['now', 'late']));
  });

  it('runs again if it is enqueued again while it runs', async () => {
    const { ask, start, begun } = await newQueue();
    const job = { workspace_id: v7(), key: 'k' };
    await ask(job);
    start({
      run: async ({ key }) => {
        begun.push(key);
        if (begun.length === 1) await ask(job);
        return undefined;
      },
    });
    await eventually(() => expect(begun).toHaveLength(2));
  });

  it('is retried after a failure, later each time, and keeps the error', async () => {
    const { ask, start, clock, rows, begun } = await newQueue({ longestPauseMs: 5 * hourMs });
    await ask({ key: 'k' });
    const failing = start({
      run: async ({ key }) => {
        begun.push(key);
        throw new Error(`no ${begun.length}`);
      },
    });
    const pauses: number[] = [];
    for (let attempts = 0; attempts < 20; ) {
      const job = await eventually(async () => {
        const [one] = await rows();
        expect(one?.attempts).toBeGreaterThan(attempts);
        expect(one?.lease_id).toBeNull();
        return one;
      });
      attempts = job?.attempts ?? 0;
      expect(job?.error).toBe(`Error: no ${attempts}`);
      pauses.push((job?.due_at.getTime() ?? 0) - Date.now() - clock.ahead);
      clock.ahead += pauses.at(-1) ?? 0;
      failing.nudge();
    }
    expect(pauses[0]).toBeLessThanOrEqual(500);
    expect(pauses.at(-1)).toBeGreaterThan(4.9 * hourMs);
  });
});

describe('the lease on a job', () => {
  it('expires after its process was killed, and another process takes the job', async () => {
    const { url, ask, start, rows, clock } = await newQueue();
    await ask({ key: 'k' });
    const doomed = fork(fileURLToPath(new URL('./killed.ts', import.meta.url)), [url]);
    await once(doomed, 'message');
    doomed.kill('SIGKILL');
    await once(doomed, 'exit');
    const taken = Promise.withResolvers<Job>();
    start({
      run: async (job) => {
        taken.resolve(job);
        return undefined;
      },
    });
    expect(await rows()).toMatchObject([{ attempts: 1, lost_leases: 0 }]);
    clock.ahead = 60_000;
    expect(await taken.promise).toMatchObject({ key: 'k', attempts: 2, lost_leases: 1 });
    await eventually(async () => expect(await rows()).toEqual([]));
  });

  it('is released at once when the process stops, also while it is being leased', async () => {
    const { db, ask, start, rows, begun } = await newQueue({ leaseMs: hourMs });
    await ask({ key: 'k' });
    const met = Promise.withResolvers<void>();
    const running = start({
      run: (_, stopping) =>
        new Promise((_resolve, reject) => {
          stopping.addEventListener('abort', () => reject(stopping.reason));
          met.resolve();
        }),
    });
    await met.promise;
    await running.stop();
    expect(await rows()).toMatchObject([{ lease_id: null, lost_leases: 0, error: null }]);

    const taking = Promise.withResolvers<void>();
    let stopped: Promise<void> | undefined;
    const slow: Database<Tables> = {
      ...db,
      statement: async (fn) => {
        const taken = await db.statement(fn);
        await taking.promise;
        stopped ??= late.stop();
        return taken;
      },
    };
    const late = start({}, slow);
    taking.resolve();
    await eventually(async () => expect((await rows())[0]?.attempts).toBe(2));
    await eventually(() => expect(stopped).toBeDefined());
    await stopped;
    expect(begun).toEqual([]);
    expect(await rows()).toMatchObject([{ lease_id: null, lost_leases: 0 }]);
  });
});

describe('leasing', () => {
  it.each([10, 1_500])(
    'is round-robin between workspaces, with concurrent processes and %i jobs of one workspace',
    async (jobs) => {
      const { db, ask } = await newQueue();
      const [busy, others] = [v7(), Array.from({ length: 4 }, () => v7())];
      await ask(...Array.from({ length: jobs }, () => ({ workspace_id: busy })));
      for (let round = 1; round <= 10; round += 1) {
        await ask(...others.map((workspace_id) => ({ workspace_id })));
        const [now, until] = [new Date(), new Date(Date.now() + hourMs)];
        const lease = () => leaseJob(db, { kind: 'test', onlyRegular: false, now, until });
        const taken = await Promise.all(Array.from({ length: 5 }, lease));
        expect(new Set(taken.map((job) => job?.workspace_id)).size).toBe(5);
      }
    },
  );
});
