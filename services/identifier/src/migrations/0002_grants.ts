import { type Kysely, sql } from 'kysely';

/**
 * The card service counts from here on (ADR 0020): a workstream keeps how far it may, and the ledger only what was
 * issued. Numbers whose operation has not ended need the former build to end it, so their presence refuses the migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ number: string }>`
    select workspace_id || '/' || prefix || '-' || number as number from identifiers where state = 'pending' limit 20`.execute(
    db,
  );
  if (rows.length > 0) {
    throw new Error(
      `numbers are still pending: ${rows.map(({ number }) => number).join(', ')}. Start the former build once more, ` +
        'wait until its `npm run doctor` finds nothing under way, stop it, and migrate again',
    );
  }

  await sql`alter table workstreams rename column last_number to granted_through`.execute(db);
  // The command that archives it, from its first step to its last.
  await sql`alter table workstreams add column closing uuid`.execute(db);
  await sql`create index workstreams_closing on workstreams (workspace_id, id) where closing is not null`.execute(db);

  // Drops the constraints and indexes of these columns too.
  await sql`
    alter table identifiers
      drop column operation_id,
      drop column state,
      drop column created_at,
      alter column card_version set not null,
      alter column assigned_at set not null`.execute(db);
  await sql`drop table refusals`.execute(db);
}
