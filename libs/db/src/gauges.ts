import { sampledGauges } from '@cardinal/runtime';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';

/** A gauge with a value from the database. */
export interface SqlGauge {
  help: string;
  /** A scalar; null where there is none. It is queried regularly, so its cost must not grow with a table. */
  value: RawBuilder<number | null>;
}

/** Limit of a count of rows, which bounds its cost. A higher number is no worse. */
const most = 10_000;

/**
 * Counts the rows of a `select`, up to 10,000. The `select` should be in the order of an index: otherwise Postgres
 * builds a bitmap of all rows while it has no statistics on their number.
 */
export const countUpTo = (rows: RawBuilder<unknown>): RawBuilder<number> =>
  sql<number>`(select count(*) from (${rows} limit ${sql.lit(most)}) as counted)`;

/** Declares gauges of tables, with one query for all of them; see `sampledGauges` for its interval. */
export const sqlGauges = <Tables, Name extends string>(
  db: Pick<Database<Tables>, 'read'>,
  gauges: Record<Name, SqlGauge>,
): void => {
  const all = Object.entries(gauges) as [Name, SqlGauge][];
  const values = all.map(([name, { value }]) => sql`${value} as ${sql.id(name)}`);
  sampledGauges<Name>({
    gauges: Object.fromEntries(all.map(([name, { help }]) => [name, help])) as Record<Name, string>,
    sample: async () => {
      const { rows } = await db.read((tx) => sql<Record<Name, number | null>>`select ${sql.join(values)}`.execute(tx));
      return all.flatMap(([name]) => {
        const value = rows[0]?.[name] ?? null;
        return value === null ? [] : [{ name, value: Number(value) }];
      });
    },
  });
};
