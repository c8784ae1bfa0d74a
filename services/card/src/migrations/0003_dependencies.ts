import { type Kysely, sql } from 'kysely';

/** Lets the projection of dependencies tell newer words from older ones; a removed dependency stays as a tombstone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table card_dependencies
      add column version bigint not null default 0,
      add column present boolean not null default true`.execute(db);
  await sql`
    alter table card_dependencies
      alter column version drop default,
      alter column present drop default`.execute(db);
}
