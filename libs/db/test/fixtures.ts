import { createLogger } from '@cardinal/runtime';
import { testDatabase } from '@cardinal/testkit';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { expect, onTestFinished } from 'vitest';
import {
  createCommandLog,
  createFeed,
  createInternalEvents,
  createOutbox,
  type Database,
  migrate,
  openDatabase,
} from '../src/index.ts';

/** Only the tables of this library. Queries here are written in SQL. */
export type Tables = Record<never, never>;

export const migrations = {
  '0001_infrastructure': async () => ({
    up: async (db: Parameters<typeof createOutbox>[0]) => {
      await createCommandLog(db);
      await createOutbox(db);
      await createFeed(db);
      await createInternalEvents(db);
    },
  }),
};

/** A migrated database of the test's own. */
export async function migratedDatabase(): Promise<{ url: string; adminUrl: string; db: Database<Tables> }> {
  const { url, adminUrl } = await testDatabase();
  await migrate({ url, migrations });
  return { url, adminUrl, db: open(url) };
}

/** Opens a database until the test ends. */
export function open(url: string, options: { poolSize?: number; statementTimeoutMs?: number } = {}): Database<Tables> {
  const db = openDatabase<Tables>({ url, name: 'test', ...options });
  onTestFinished(() => db.close());
  return db;
}

/** Runs one query. @returns its rows */
export async function select<Row>(db: Database<Tables>, text: string): Promise<Row[]> {
  return (await db.read((tx) => sql.raw<Row>(text).execute(tx))).rows;
}

/** Expects something to become true on a machine that may be busy with other tests. */
export const eventually = <T>(probe: () => T) => expect.poll(probe, { interval: 20 });

/** Resolves when `count` sessions of this database wait for a lock. */
export function untilWaiting(db: Database<Tables>, count = 1): Promise<void> {
  const waiting = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return eventually(() => select(db, waiting)).toHaveLength(count);
}

/** A promise and the function that resolves it. */
export function gate() {
  return Promise.withResolvers<void>();
}

export const workspaceId = v7();

/** A logger and the lines it wrote. */
export function recordingLogger() {
  const lines: { level: string; msg: string }[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  return { logger: createLogger({ service: 'test', destination }), lines };
}
