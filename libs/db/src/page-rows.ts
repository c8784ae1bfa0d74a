import { pageBytes } from '@cardinal/runtime';
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Reader } from './handles.ts';

/** How much of a list is read for one page. */
interface Extent {
  /** Most items of the page. */
  limit: number;
  /** The columns that the list is in the order of; left out where the query has an order already. */
  by?: readonly string[];
  /** Their values in the last row of the page before. */
  after?: readonly unknown[] | undefined;
  /** Columns of any length. Left out where a hundred rows never make a page of 1 MiB. */
  texts?: readonly string[];
}

/**
 * Reads what one page of a list may hold and one row more, which tells that there are more (`OpenPage.cut`). The database
 * delivers no more than the page can take, however long the texts are: it leaves off after the row with which they pass
 * `pageBytes`. As JSON they are never shorter; their length is told without reading them from where long values are kept.
 * @param query the list, or the rest of it where it has an order
 */
export const readPageRows = async <Tables, Names extends keyof Tables, Row>(
  tx: Reader,
  query: SelectQueryBuilder<Tables, Names, Row>,
  { limit, by = [], after, texts = [] }: Extent,
): Promise<Row[]> => {
  const keys = by.map((column) => sql.ref(column));
  const rest = after ? query.where(sql<boolean>`(${sql.join(keys)}) > (${sql.join(after)})`) : query;
  const listed = keys.reduce((ordered, key) => ordered.orderBy(key), rest).limit(limit + 1);
  if (texts.length === 0) return listed.execute();
  const bytes = texts.map((text) => sql`coalesce(octet_length(${sql.ref(text)}), 0)`);
  const page: RawBuilder<Row> = sql`
    select * from (
      select listed.*, sum(${sql.join(bytes, sql` + `)})
        over (rows between unbounded preceding and 2 preceding) as bytes_before_last
      from ${listed} as listed
    ) as page where coalesce(bytes_before_last, 0) < ${pageBytes}`;
  return (await page.execute(tx)).rows;
};
