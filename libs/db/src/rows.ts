import { timeOf, unavailable } from '@cardinal/contracts';
import { currentContext, pageBytes } from '@cardinal/runtime';
import {
  type AbortableQueryOptions,
  type Insertable,
  type Kysely,
  type RawBuilder,
  type Selectable,
  type SelectQueryBuilder,
  sql,
  type Transaction,
  type Updateable,
} from 'kysely';
import { v7 } from 'uuid';
import { z } from 'zod';
import type { Reader } from './pool.ts';

/** The columns of every row that clients address by an id within their workspace and write under `If-Match`. */
interface Versioned {
  workspace_id: string;
  id: string;
  version: number;
  created_at: Date;
  updated_at: Date;
}

/** New values of some columns. Undefined and equal values change nothing. */
type Changes<Row> = { [Column in keyof Row]?: Row[Column] | undefined };

/**
 * Makes the first columns of a new row. The id contains the time of creation, so lists ordered by id are ordered by
 * `created_at`, across instances. Call it under the locks of the write: of two concurrent writes, the one that waited
 * then has the later row.
 */
export const newRow = () => {
  const id = v7();
  const madeAt = timeOf(id);
  return { id, version: 1, created_at: madeAt, updated_at: madeAt };
};

/** Makes the queries of one table of versioned rows. */
export const rowsOf = <Tables, Table extends keyof Tables & string>(table: Table) => {
  type Row = Selectable<Tables[Table]>;
  // All such tables have these columns; the compiler can check a table that has no others.
  type Same = { rows: Versioned };
  const name = table as 'rows';
  const inWorkspace = (tx: Kysely<Tables>, workspaceId: string) =>
    (tx as unknown as Kysely<Same>).selectFrom(name).selectAll().where('workspace_id', '=', workspaceId);
  const byKey = (tx: Kysely<Tables>, workspaceId: string, id: string) =>
    inWorkspace(tx, workspaceId).where('id', '=', id);

  return {
    /** Selects all rows of a workspace, for the caller to narrow. */
    in: inWorkspace as unknown as (tx: Kysely<Tables>, workspaceId: string) => SelectQueryBuilder<Tables, Table, Row>,

    find: async (tx: Kysely<Tables>, workspaceId: string, id: string) =>
      (await byKey(tx, workspaceId, id).executeTakeFirst()) as Row | undefined,

    /** Reads a row and locks it to the end of the transaction, against changes, or against new references to it too. */
    lock: async (
      tx: Transaction<Tables>,
      workspaceId: string,
      id: string,
      against: 'changes' | 'references' = 'changes',
    ) => {
      const found = byKey(tx, workspaceId, id);
      const locked = against === 'references' ? found.forUpdate() : found.forNoKeyUpdate();
      return (await locked.executeTakeFirst()) as Row | undefined;
    },

    insert: async (tx: Transaction<Tables>, row: Insertable<Tables[Table]>) =>
      (await (tx as unknown as Kysely<Same>)
        .insertInto(name)
        .values(row as unknown as Versioned)
        .returningAll()
        .executeTakeFirstOrThrow()) as Row,

    /**
     * Updates the changed columns of a locked row and raises its version by one.
     * @returns the new row; the same row, with the same version and update time, where nothing changes
     */
    update: async (tx: Transaction<Tables>, row: Row, changes: Changes<Row>, now: Date): Promise<Row> => {
      const changed = Object.entries(changes).filter(
        ([column, value]) => value !== undefined && value !== row[column as keyof Row],
      );
      if (changed.length === 0) return row;
      const { workspace_id, id, version } = row as Versioned;
      const set: Updateable<Versioned> = { ...Object.fromEntries(changed), version: version + 1, updated_at: now };
      const all = (tx as unknown as Kysely<Same>).updateTable(name).set(set);
      await all.where('workspace_id', '=', workspace_id).where('id', '=', id).execute();
      return { ...row, ...set };
    },

    remove: async (tx: Transaction<Tables>, row: Row): Promise<void> => {
      const { workspace_id, id } = row as Versioned;
      const all = (tx as unknown as Kysely<Same>).deleteFrom(name);
      await all.where('workspace_id', '=', workspace_id).where('id', '=', id).execute();
    },
  };
};

/** Counts the rows of a query. The count is exact under the lock of their parent. */
export const countRows = async <Tables, Names extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Names, Row>,
): Promise<number> => {
  const counted = query.clearSelect().select((eb) => eb.fn.countAll<number>().as('count'));
  return ((await counted.executeTakeFirstOrThrow()) as { count: number }).count;
};

/** The type of a column by that of the field: a date for the text of a time, any text for a value of an enum. */
type Stored<Field> = Field extends string ? string | Date : Field;

/** The columns of a row that make up a resource. */
export type StoredAs<Resource> = { [Name in keyof Omit<Resource, 'type'>]: Stored<Resource[Name]> };

/**
 * Makes the function that presents rows as clients see them: the fields of the contract in its order, times in UTC with
 * milliseconds. It leaves out other columns.
 */
export const resourceOf = <Shape extends z.ZodRawShape>({ shape }: z.ZodObject<Shape>) => {
  type Resource = z.output<z.ZodObject<Shape>>;
  const fields = Object.entries(shape);
  return (row: StoredAs<Resource>): Resource => {
    const columns: Record<string, unknown> = row;
    const resource: Record<string, unknown> = {};
    for (const [name, field] of fields) {
      resource[name] = field instanceof z.ZodLiteral ? field.value : jsonOf(columns[name]);
    }
    return resource as Resource;
  };
};

const jsonOf = (value: unknown) => (value instanceof Date ? value.toISOString() : value);

interface Extent {
  limit: number;
  /** The sort columns of the list; absent where the query is ordered already. */
  by?: readonly string[];
  /** Their values in the last row of the previous page. */
  after?: readonly unknown[] | undefined;
  /** Text columns of any length; absent where a hundred rows never reach 1 MiB. */
  texts?: readonly string[];
}

/**
 * Reads the rows of one page and one more, which shows that there are more (`OpenPage.cut`). The database returns no
 * more than the page can hold, however long the texts are: it stops after the row that exceeds `pageBytes`. JSON is
 * never shorter than the texts, and their length is known without reading long values from TOAST.
 * @param query the list, or what is left of it where it is ordered
 */
export const readPageRows = async <Tables, Names extends keyof Tables, Row>(
  tx: Reader,
  query: SelectQueryBuilder<Tables, Names, Row>,
  { limit, by = [], after, texts = [] }: Extent,
): Promise<Row[]> => {
  const keys = by.map((column) => sql.ref(column));
  const rest = after ? query.where(sql<boolean>`(${sql.join(keys)}) > (${sql.join(after)})`) : query;
  const listed = keys.reduce((ordered, key) => ordered.orderBy(key), rest).limit(limit + 1);
  if (texts.length === 0) return untilDeadline((options) => listed.execute(options));
  const bytes = texts.map((text) => sql`coalesce(octet_length(${sql.ref(text)}), 0)`);
  const page: RawBuilder<Row> = sql`
    select * from (
      select listed.*, sum(${sql.join(bytes, sql` + `)})
        over (rows between unbounded preceding and 2 preceding) as bytes_before_last
      from ${listed} as listed
    ) as page where coalesce(bytes_before_last, 0) < ${pageBytes}`;
  return (await untilDeadline((options) => page.execute(tx, options))).rows;
};

/** Has the server cancel a statement at the request's deadline. @throws CardinalError `unavailable` then */
const untilDeadline = async <T>(execute: (options: AbortableQueryOptions) => Promise<T>): Promise<T> => {
  const { deadline } = currentContext() ?? {};
  if (deadline === undefined) return execute({});
  const late = new AbortController();
  const giveUp = () => late.abort(unavailable('The deadline passed before the list was read'));
  const timer = setTimeout(giveUp, Math.max(deadline - Date.now(), 0));
  try {
    return await execute({ signal: late.signal, inflightQueryAbortStrategy: 'cancel query' });
  } finally {
    clearTimeout(timer);
  }
};
