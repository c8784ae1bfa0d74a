import { type Kysely, sql } from 'kysely';

/**
 * The counter of a workstream comes to stand beside the cards (ADR 0020). Operations that wait for a number need the
 * former build to end them, so their presence refuses the migration. Those that committed may not have reached the
 * ledger: what they issued moves to `issued` and is recorded again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ what: string }>`
    select workspace_id || '/' || id || ' of card ' || card_id as what from operations where state = 'pending' limit 20`.execute(
    db,
  );
  if (rows.length > 0) {
    throw new Error(
      `operations are still pending: ${rows.map(({ what }) => what).join(', ')}. Start the former build once more, ` +
        'wait until its `npm run doctor` finds nothing under way, stop it, and migrate again',
    );
  }

  // Half-empty pages keep the updates of counters and tops in place (HOT): no index holds them.
  await sql`
    alter table workstreams
      add column last_number bigint not null default 0,
      add column granted_through bigint not null default 0,
      add column closed boolean not null default false,
      add constraint workstreams_one_prefix unique (workspace_id, prefix),
      set (fillfactor = 50)`.execute(db);
  await sql`
    alter table columns
      -- no card of the column stands above it; the next one on top stands at one less
      add column top double precision not null default 1,
      set (fillfactor = 50)`.execute(db);
  await sql`
    update columns set top = coalesce((
      select min(position) from cards
      where cards.workspace_id = columns.workspace_id and cards.column_id = columns.id
    ), 1)`.execute(db);

  // Identifiers on their way to the ledger; kept for a while after they got there, so that one that was restored from a
  // backup can be filled again. No foreign keys: they outlive their cards.
  await sql`
    create table issued (
      workspace_id uuid not null,
      identifier text not null,
      workstream_id uuid not null,
      card_id uuid not null,
      card_version integer not null,
      assigned_at timestamptz(3) not null,
      assigned_by uuid not null,
      recorded_at timestamptz(3),
      primary key (workspace_id, identifier)
    )`.execute(db);
  await sql`create index issued_unrecorded on issued (workspace_id, card_id) where recorded_at is null`.execute(db);
  await sql`create index issued_recorded on issued (recorded_at) where recorded_at is not null`.execute(db);

  await sql`
    insert into issued (workspace_id, identifier, workstream_id, card_id, card_version, assigned_at, assigned_by)
    select workspace_id, response ->> 'identifier', (response -> 'workstream' ->> 'id')::uuid,
      card_id, card_version, assigned_at, (payload ->> 'user_id')::uuid
    from operations join commands using (workspace_id)
    where commands.id = operations.command_id and operations.state = 'committed'`.execute(db);
  await sql`drop table operations`.execute(db);

  // The ledger's highest number comes with the first grant; until then what is known here is the most.
  await sql`
    update workstreams set last_number = known.last, granted_through = known.last
    from (
      select workspace_id, workstream_id, max(split_part(identifier, '-', 2)::bigint) as last
      from (select workspace_id, workstream_id, identifier from cards
        union all select workspace_id, workstream_id, identifier from issued) as all_of_them
      group by workspace_id, workstream_id
    ) as known
    where workstreams.workspace_id = known.workspace_id and workstreams.id = known.workstream_id`.execute(db);
}
