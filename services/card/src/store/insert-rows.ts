import { type Insertable, sql } from 'kysely';
import type { Tables, Tx } from './database.ts';

/**
 * Inserts rows in one statement. They travel as one JSON parameter, so the statement's text does not grow with their
 * number: writing out thousands of placeholders costs more than the insert.
 */
export const insertRows = async <Table extends keyof Tables>(
  tx: Tx,
  table: Table,
  rows: readonly Insertable<Tables[Table]>[],
): Promise<void> => {
  const [first] = rows;
  if (!first) return;
  const columns = sql.join(Object.keys(first).map((column) => sql.ref(column)));
  await sql`
    insert into ${sql.table(table)} (${columns})
    select ${columns} from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)})`.execute(tx);
};
