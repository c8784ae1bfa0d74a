import type { Insertable, Kysely, Selectable, SelectQueryBuilder, Transaction, Updateable } from 'kysely';
import { v7 } from 'uuid';

/** What every row has that clients address by an id within their workspace and write under `If-Match`. */
interface Versioned {
  workspace_id: string;
  id: string;
  version: number;
  created_at: Date;
  updated_at: Date;
}

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

/** The queries of one table of versioned rows. */
export const rowsOf = <Tables, Table extends keyof Tables & string>(table: Table) => {
  type Row = Selectable<Tables[Table]>;
  // All such tables have these columns; the compiler follows one that has no others.
  type Same = { rows: Versioned };
  const name = table as 'rows';
  const inWorkspace = (tx: Kysely<Tables>, workspaceId: string) =>
    (tx as unknown as Kysely<Same>).selectFrom(name).selectAll().where('workspace_id', '=', workspaceId);
  const byKey = (tx: Kysely<Tables>, workspaceId: string, id: string) =>
    inWorkspace(tx, workspaceId).where('id', '=', id);

  return {
    /** All of a workspace, for the caller to narrow. */
    in: inWorkspace as unknown as (tx: Kysely<Tables>, workspaceId: string) => SelectQueryBuilder<Tables, Table, Row>,

    find: async (tx: Kysely<Tables>, workspaceId: string, id: string) =>
      (await byKey(tx, workspaceId, id).executeTakeFirst()) as Row | undefined,

    /** Reads a row and holds it to the end of the transaction: against changes, or against new references to it too. */
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
     * Writes what comes out different of a locked row: one version more.
     * @returns the row as it is now; the same one where nothing changes, version and update time neither
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

/** How many rows a query has. Whoever holds the lock of what they hang on counts the last state of them. */
export const countRows = async <Tables, Names extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Names, Row>,
): Promise<number> => {
  const counted = query.clearSelect().select((eb) => eb.fn.countAll<string>().as('count'));
  const { count } = (await counted.executeTakeFirstOrThrow()) as { count: string };
  return Number(count);
};
