import type { Database } from '@cardinal/db';
import { sql } from 'kysely';
import type { Tables, Tx } from '../context.ts';

/** Partitions are created for today and as many days after it. */
const daysAhead = 2;
const dayMs = 86_400_000;

const dateOf = (day: Date): string => day.toISOString().slice(0, 10);
const partitionOf = (date: string): string => `events_${date.replaceAll('-', '_')}`;

/** Creates the partitions of `events` before they are needed. */
export const createDays = (db: Database<Tables>) => {
  let made: string | undefined;

  /** Attached, not created as a partition, which would block readers and appends. */
  const make = async (tx: Tx, date: string): Promise<void> => {
    const partition = sql.table(partitionOf(date));
    await sql`create table ${partition} (like events including all)`.execute(tx);
    const next = dateOf(new Date(Date.parse(date) + dayMs));
    await sql`alter table events attach partition ${partition} for values from (${sql.lit(date)}) to (${sql.lit(next)})`.execute(
      tx,
    );
  };

  return {
    /**
     * Creates missing partitions around today, once a day and after the server may have changed. Not for use in a
     * transaction.
     */
    ahead: async (now: Date): Promise<void> => {
      const today = dateOf(now);
      const state = `${db.serverGeneration()} ${today}`;
      if (made === state) return;
      const dates = Array.from({ length: daysAhead + 2 }, (_, at) =>
        dateOf(new Date(now.getTime() + (at - 1) * dayMs)),
      );
      await db.transaction(async (tx) => {
        // One instance at a time; readers and appends continue.
        await sql`lock table events in share update exclusive mode`.execute(tx);
        const { rows } = await sql<{ date: string }>`
          select date::text from unnest(${dates}::date[]) as date
          where to_regclass('events_' || to_char(date, 'YYYY_MM_DD')) is null`.execute(tx);
        for (const { date } of rows) await make(tx, date);
      });
      made = state;
    },
    /** Has the next call look again: a database may have been restored under open connections. */
    lookAgain: (): void => {
      made = undefined;
    },
  };
};

/** How long a drop waits for readers, ms; later readers wait behind it. The next round tries again. */
const dropPatienceMs = 500;

/** Drops the days that ended before `olderThan`, whole partitions of all workspaces. @returns how many */
export const dropDays = async (db: Database<Tables>, olderThan: Date): Promise<number> => {
  const first = dateOf(olderThan);
  const { rows } = await db.read((tx) =>
    sql<{ partition: string }>`
      select relname as partition from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = 'events'::regclass and relname < ${partitionOf(first)} order by relname`.execute(tx),
  );
  for (const { partition } of rows) {
    await db.transaction(async (tx) => {
      await sql`set local lock_timeout = ${sql.lit(dropPatienceMs)}`.execute(tx);
      await sql`drop table if exists ${sql.table(partition)}`.execute(tx);
      const date = partition.replace('events_', '').replaceAll('_', '-');
      await sql`delete from days where logged_on <= ${date}::date`.execute(tx);
    });
  }
  return rows.length;
};
