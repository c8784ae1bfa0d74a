import { type Kysely, sql } from 'kysely';

/** Tells in a few steps which boards have files, however many files they have. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index files_of_board on files (workspace_id, board_id) where board_id is not null`.execute(db);
}
