import { type Kysely, sql } from 'kysely';

/**
 * Adds the filters of webhooks by field and by private boards. Webhooks that exist keep what they were sent, and so do those that
 * a release before this one creates; this one always names `private_boards`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table webhooks
      add column changed text[] not null default '{}',
      add column private_boards boolean not null default true`.execute(db);
}
