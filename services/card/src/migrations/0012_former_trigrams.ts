import { type Kysely, sql } from 'kysely';

/** The release before goes on with `ascii_letters`, which no index knows any more, and finds the same. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    do $$
    begin
      if to_regclass('cards_by_plain_filter') is not null then
        drop index if exists cards_by_filter;
        alter index cards_by_plain_filter rename to cards_by_filter;
      end if;
    end $$`.execute(db);
}
