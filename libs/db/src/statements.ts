import { createHash } from 'node:crypto';
import { CompiledQuery, type QueryExecutorProvider } from 'kysely';

/** Anything that can run a query: a transaction, or the handle that `read` gives. */
export type Reader = QueryExecutorProvider;

/** A transaction of whichever service: the infrastructure tables are the same in all of them. */
export type AnyTransaction = Reader & { readonly isTransaction: true };

const names = new Map<string, string>();

/** A statement that every connection parses and plans once, then knows by its name. */
export interface PreparedStatement<Row> {
  text: string;
  run(db: Reader, values: readonly unknown[]): Promise<Row[]>;
}

/**
 * Runs a statement once for all who ask: they are its $1, a JSON array in which each has its `ordinal`. Of an SQL array the
 * planner would count the elements, and plan anew for each number of them.
 * @returns one row for each, in its position; undefined where the statement has none for it
 */
export const rowsFor = async <Row extends { ordinal: number }>(
  db: Reader,
  statement: PreparedStatement<Row>,
  asked: readonly object[],
): Promise<(Row | undefined)[]> => {
  const rows = await statement.run(db, [JSON.stringify(asked.map((one, index) => ({ ...one, ordinal: index + 1 })))]);
  const byOrdinal = new Map(rows.map((row) => [row.ordinal, row]));
  return asked.map((_, index) => byOrdinal.get(index + 1));
};

/**
 * Declares a statement for a hot path. Its text must not depend on what it is run with: lists travel as one parameter.
 * @param title begins the statement's name on the server
 */
export const prepared = <Row>(title: string, text: string): PreparedStatement<Row> => {
  names.set(text, `${title}-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`);
  return {
    text,
    run: async (db, values) => {
      const { rows } = await db.getExecutor().executeQuery<Row>(CompiledQuery.raw(text, [...values]));
      return rows;
    },
  };
};

/** The name under which the server prepares a text; undefined where it is not one of the hot ones. */
export const preparedName = (text: string): string | undefined => names.get(text);
