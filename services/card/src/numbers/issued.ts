import { type IssuedIdentifier, issuedIdentifier } from '@cardinal/contracts';
import { countUpTo, type Database, purge, resourceOf } from '@cardinal/db';
import { sql } from 'kysely';
import type { Reader, Tables } from '../database.ts';

const unrecorded = (tx: Reader) => tx.selectFrom('issued').selectAll().where('recorded_at', 'is', null);

const toIssued = resourceOf(issuedIdentifier);

/**
 * Identifiers that the ledger may not have yet, of all workspaces.
 * @param before only those issued earlier than this
 * @param after goes on behind this one
 */
export const listUnrecorded = async (
  tx: Reader,
  { before, after, limit }: { before: Date; after: IssuedIdentifier | undefined; limit: number },
): Promise<IssuedIdentifier[]> => {
  const rows = await unrecorded(tx)
    .where('assigned_at', '<', before)
    .$if(after !== undefined, (query) =>
      query.where(
        sql<boolean>`(workspace_id, card_id, identifier)
          > (${after?.workspace_id}::uuid, ${after?.card_id}::uuid, ${after?.identifier}::text)`,
      ),
    )
    .orderBy('workspace_id')
    .orderBy('card_id')
    .orderBy('identifier')
    .limit(limit)
    .execute();
  return rows.map(toIssued);
};

/** Identifiers of one card that the ledger may not have yet. */
export const unrecordedOfCard = async (
  tx: Reader,
  workspaceId: string,
  cardId: string,
): Promise<IssuedIdentifier[]> => {
  const rows = await unrecorded(tx).where('workspace_id', '=', workspaceId).where('card_id', '=', cardId).execute();
  return rows.map(toIssued);
};

/** Marks identifiers that the ledger has. In one order, so that two instances do not wait for each other in a circle. */
export const markRecorded = async (tx: Reader, issued: readonly IssuedIdentifier[], now: Date): Promise<void> => {
  await sql`
    with recorded as (
      select workspace_id, identifier
      from issued join unnest(
        ${issued.map((one) => one.workspace_id)}::uuid[], ${issued.map((one) => one.identifier)}::text[]
      ) as told (workspace_id, identifier) using (workspace_id, identifier)
      where recorded_at is null
      order by workspace_id, identifier
      for no key update of issued
    )
    update issued set recorded_at = ${now}::timestamptz
    from recorded
    where issued.workspace_id = recorded.workspace_id and issued.identifier = recorded.identifier`.execute(tx);
};

/** Recorded identifiers are kept this long, so that a restored ledger can be filled again (architecture, "One transaction"). */
export const issuedHours = 7 * 24;

/** Forgets identifiers that were recorded before `olderThan`; returns how many. */
export const purgeIssued = (db: Database<Tables>, olderThan: Date): Promise<number> =>
  purge(db, 'issued', sql`recorded_at < ${olderThan}`);

/** How far the ledger is behind, found in the index of what is unrecorded. For `sqlGauges`. */
export const issuedGauges = {
  cardinal_unrecorded_identifiers: {
    help: 'Identifiers that the ledger may not have yet, counted up to 10,000',
    value: countUpTo(sql`select 1 from issued where recorded_at is null order by workspace_id, card_id`),
  },
  cardinal_unrecorded_identifiers_oldest_seconds: {
    help: 'Age of the oldest identifier that the ledger may not have yet, of 10,000 at most; 0 where there is none',
    value: sql<number>`coalesce((
      select extract(epoch from now() - min(assigned_at))::float8
      from (
        select assigned_at from issued where recorded_at is null order by workspace_id, card_id limit 10000
      ) as waiting), 0)`,
  },
};
