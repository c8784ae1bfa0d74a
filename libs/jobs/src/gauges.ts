import { countUpTo, type SqlGauge } from '@cardinal/db';
import { sql } from 'kysely';

/** Gauges of a service's jobs of all kinds, for `sqlGauges`. */
export const jobGauges = {
  cardinal_failing_jobs: {
    help: 'Jobs that failed ten times and more, counted up to 10,000',
    value: countUpTo(sql`select 1 from jobs where error is not null and attempts >= 10 order by kind`),
  },
} satisfies Record<string, SqlGauge>;

/**
 * Makes gauges of the waiting jobs of a kind: their count, and the age of the oldest one in seconds. Both count the
 * first 10,000 jobs.
 */
export const jobsOf = (kind: string) => {
  const waiting = sql`
    from jobs where kind = ${sql.lit(kind)} and due_at is not null order by due_at`;
  return {
    count: countUpTo(sql`select 1 ${waiting}`),
    oldestSeconds: sql<number>`coalesce((
      select extract(epoch from now() - min(created_at))::float8
      from (select created_at ${waiting} limit 10000) as waiting), 0)`,
  };
};
