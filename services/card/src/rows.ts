import { readPageRows } from '@cardinal/db';
import { type Insertable, type Selectable, type SelectQueryBuilder, sql, type Updateable } from 'kysely';
import { v7 } from 'uuid';
import type { Reader, Tables, Tx } from './store/database.ts';

/** Tables whose rows have an id within their workspace, and a version. */
type VersionedTable = 'boards' | 'columns' | 'comments' | 'labels' | 'subtasks';
export type RowOf<Table extends VersionedTable> = Selectable<Tables[Table]>;

/** New values of some columns; those that are undefined, or as they were, do not change. */
type Changes<Row> = { [Column in keyof Row]?: Row[Column] | undefined };

/**
 * What every new row begins with. Its id tells the time at which it was made, so that a list in the order of ids is one
 * in the order of `created_at`, whichever instances made its rows. Made under the locks that its write takes: a row that
 * waited for another one is the younger of the two.
 */
export const newRow = () => {
  const id = v7();
  const madeAt = timeOf(id);
  return { id, version: 1, created_at: madeAt, updated_at: madeAt };
};

/** An id of this kind begins with the milliseconds of its time, in 48 bits (RFC 9562, 5.7). */
const timeOf = (id: string): Date => new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16));

/** The queries by key of one table. */
export const rowsOf = <Table extends VersionedTable>(table: Table) => {
  // All of these tables have the columns that are named here; the compiler follows one of them.
  const name = table as 'labels';
  type Row = RowOf<Table>;
  const byKey = (tx: Reader, workspaceId: string, id: string) =>
    tx.selectFrom(name).selectAll().where('workspace_id', '=', workspaceId).where('id', '=', id);

  return {
    find: async (tx: Reader, workspaceId: string, id: string) =>
      (await byKey(tx, workspaceId, id).executeTakeFirst()) as Row | undefined,

    /** Reads a row and holds it to the end of the transaction: against changes, or against new references to it too. */
    lock: async (tx: Tx, workspaceId: string, id: string, against: 'changes' | 'references' = 'changes') => {
      const found = byKey(tx, workspaceId, id);
      const locked = against === 'references' ? found.forUpdate() : found.forNoKeyUpdate();
      return (await locked.executeTakeFirst()) as Row | undefined;
    },

    insert: async (tx: Tx, row: Insertable<Tables[Table]>) =>
      (await tx
        .insertInto(name)
        .values(row as Insertable<Tables['labels']>)
        .returningAll()
        .executeTakeFirstOrThrow()) as unknown as Row,

    /**
     * Writes what comes out different of a locked row: one version more.
     * @returns the row as it is now; the same one where nothing changes, version and update time neither
     */
    update: async (tx: Tx, row: Row, changes: Changes<Row>, now: Date): Promise<Row> => {
      const changed = Object.entries(changes).filter(
        ([column, value]) => value !== undefined && value !== row[column as keyof Row],
      );
      if (changed.length === 0) return row;
      const { workspace_id, id, version } = row as RowOf<VersionedTable>;
      const set: Updateable<Tables['labels']> = {
        ...Object.fromEntries(changed),
        version: version + 1,
        updated_at: now,
      };
      await tx.updateTable(name).set(set).where('workspace_id', '=', workspace_id).where('id', '=', id).execute();
      return { ...row, ...set };
    },

    remove: async (tx: Tx, { workspace_id, id }: RowOf<VersionedTable>): Promise<void> => {
      await tx.deleteFrom(name).where('workspace_id', '=', workspace_id).where('id', '=', id).execute();
    },
  };
};

/** How many rows a query has. Whoever holds the lock of what they hang on counts the last state of them. */
export const countRows = async <Names extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Names, Row>,
): Promise<number> => {
  const counted = query.clearSelect().select((eb) => eb.fn.countAll<string>().as('count'));
  return Number((await counted.executeTakeFirstOrThrow()).count);
};

/** Reads a page of a list in the order of one column, from behind the value with which the page before ended. */
export const readPageAfter = <Names extends keyof Tables, Row>(
  tx: Reader,
  query: SelectQueryBuilder<Tables, Names, Row>,
  column: string,
  { limit, after, texts }: { limit: number; after: unknown; texts?: string[] },
): Promise<Row[]> => {
  const key = sql.ref(column);
  const rest = after === undefined ? query : query.where(key, '>', after);
  return readPageRows(tx, rest.orderBy(key), { limit, ...(texts && { texts }) });
};
