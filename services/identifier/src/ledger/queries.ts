import { type IssuedIdentifier, type parseIdentifier, recordedAtOnce } from '@cardinal/contracts';
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../database.ts';
import type { Range } from './rules.ts';

/** An identifier in parts: prefix and number. */
type IdentifierNumber = NonNullable<ReturnType<typeof parseIdentifier>>;

/** An identifier in parts, with its workspace. */
export interface NumberKey extends IdentifierNumber {
  workspace_id: string;
}

/** An identifier of a card's history. */
export interface IssuedNumber extends IdentifierNumber {
  workstream_id: string;
  /** The current name of the workstream. */
  name: string;
  /** The card's version with which it got the identifier. It rises from identifier to identifier. */
  card_version: number;
  /** Null for an identifier that the card had before its adoption. */
  assigned_at: Date | null;
  assigned_by: string;
  /** When the card got the next identifier; null where it has none, or the next one was adopted. */
  superseded_at: Date | null;
  /** Whether the identifier was adopted, not issued. */
  adopted: boolean;
}

/**
 * Makes SQL of identifiers as a table `issued`. They are one parameter, so the statement's text is the same for any
 * number of them.
 */
const given = (issued: readonly IssuedIdentifier[]) => sql`(
    select workspace_id, split_part(identifier, '-', 1) as prefix, split_part(identifier, '-', 2)::bigint as number,
      workstream_id, card_id, card_version, assigned_at, assigned_by
    from json_to_recordset(${JSON.stringify(issued)}) as one (
      workspace_id uuid, identifier text, workstream_id uuid, card_id uuid,
      card_version integer, assigned_at timestamptz(3), assigned_by uuid)
  ) as issued`;

/**
 * Inserts the identifiers that the ledger does not have. Rows of the ledger never change. The order of inserts is
 * fixed, so that two statements cannot deadlock.
 */
export const insertIdentifiers = async (tx: Reader, issued: readonly IssuedIdentifier[]): Promise<void> => {
  await sql`
    insert into identifiers
      (workspace_id, prefix, number, workstream_id, card_id, card_version, assigned_at, assigned_by)
    select workspace_id, prefix, number, workstream_id, card_id, card_version, assigned_at, assigned_by
    from ${given(issued)}
    order by workspace_id, prefix, number
    on conflict do nothing`.execute(tx);
};

/** Finds those of the identifiers that the ledger has for another card. */
export const findOthers = async (tx: Reader, issued: readonly IssuedIdentifier[]): Promise<IssuedIdentifier[]> => {
  const { rows } = await sql<{ workspace_id: string; identifier: string }>`
    select workspace_id, prefix || '-' || number as identifier
    from ${given(issued)}
    -- OFFSET 0 is an optimizer fence: each row is found by its key, not by a scan of the ledger.
    cross join lateral (
      select card_id from identifiers as known
      where known.workspace_id = issued.workspace_id and known.prefix = issued.prefix and known.number = issued.number
      offset 0
    ) as known
    where known.card_id <> issued.card_id
    limit ${recordedAtOnce}`.execute(tx);
  const others = new Set(rows.map(({ workspace_id, identifier }) => `${workspace_id}/${identifier}`));
  return issued.filter(({ workspace_id, identifier }) => others.has(`${workspace_id}/${identifier}`));
};

/** Finds the cards of identifiers. @returns a row for each identifier that the ledger has */
export const findCards = async (tx: Reader, keys: readonly NumberKey[]) => {
  const { rows } = await sql<NumberKey & { card_id: string }>`
    select workspace_id, prefix, number, card_id
    from identifiers join unnest(
      ${keys.map((key) => key.workspace_id)}::uuid[],
      ${keys.map((key) => key.prefix)}::text[],
      ${keys.map((key) => key.number)}::bigint[]
    ) as wanted (workspace_id, prefix, number) using (workspace_id, prefix, number)`.execute(tx);
  return rows;
};

/** The condition that the column `number` of a statement was adopted, not issued. */
const isAdopted = sql<boolean>`(workstreams.adopting or number <= workstreams.adopted_through)`;

/** Makes SQL of the highest number of a prefix in the ledger; 0 where it has none. */
const highestOf = (workspaceId: RawBuilder<unknown>, prefix: RawBuilder<unknown>) => sql<number>`
  coalesce((
    select number from identifiers where workspace_id = ${workspaceId} and prefix = ${prefix}
    order by number desc limit 1), 0)`;

/** Finds the highest number of a prefix in the ledger. @returns 0 where it has none */
export const highestNumber = async (tx: Reader, workspaceId: string, prefix: string): Promise<number> => {
  const { rows } = await sql<{ number: number }>`
    select ${highestOf(sql.val(workspaceId), sql.val(prefix))} as number`.execute(tx);
  return rows[0]?.number ?? 0;
};

/**
 * Extends the range of a workstream in one statement. A range that goes further already does not shrink.
 * @returns the workstream after that, with the highest number of its prefix in the ledger; undefined where it is
 *   archived, is being archived or opened, adopts, or is in a later epoch
 */
export const extendRange = (
  tx: Reader,
  { workspace_id, workstream_id }: { workspace_id: string; workstream_id: string },
  { granted_through, ...range }: Range,
) =>
  tx
    .updateTable('workstreams')
    .set({ ...range, granted_through: sql`greatest(granted_through, ${granted_through}::bigint)` })
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', workstream_id)
    .where('archived_at', 'is', null)
    .where('closing', 'is', null)
    .where('opening', 'is', null)
    .where('adopting', '=', false)
    .where('epoch', '<=', range.epoch)
    .returningAll()
    .returning(highestOf(sql.ref('workstreams.workspace_id'), sql.ref('workstreams.prefix')).as('highest_number'))
    .executeTakeFirst();

/** Stores the time of the first request for a grant of the default workstream, unless it adopts. */
export const noteFirstAsked = async (
  tx: Reader,
  { workspace_id, id }: { workspace_id: string; id: string },
  now: Date,
): Promise<void> => {
  const rows = tx.updateTable('workstreams').set({ granted_at: now }).where('workspace_id', '=', workspace_id);
  await rows.where('id', '=', id).where('granted_at', 'is', null).where('adopting', '=', false).execute();
};

/**
 * Checks whether a workspace has or had cards: the ledger has an identifier of it, or a workstream has a grant, whose
 * numbers may not be in the ledger yet.
 */
export const hasHadCards = async (tx: Reader, workspaceId: string): Promise<boolean> => {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from identifiers where workspace_id = ${workspaceId})
      or exists (
        select from workstreams
        where workspace_id = ${workspaceId} and granted_through > greatest(adopted_through, epoch_base)) as found`.execute(
    tx,
  );
  return rows[0]?.found ?? false;
};

/** The identifier behind which a page of a history begins, with the card's version with which it got the identifier. */
export type PlaceInHistory = IdentifierNumber & { card_version: number };

/** The card service's part of a card's history. */
export interface History {
  workspace_id: string;
  card_id: string;
  current: IdentifierNumber;
  /** The unrecorded identifiers of the card that the page may need, the current one among them. */
  unrecorded: readonly IssuedIdentifier[];
}

/**
 * Reads a page of a card's identifiers, and one more, in the order of the card's versions. Clocks do not affect that
 * order. The history ends with the card's current identifier: later identifiers belong to transfers after the card was
 * read. After a rollback, the ledger can have two identifiers of one version.
 * @returns undefined where neither the ledger nor the card service's part has the current identifier
 */
export const readHistory = async (
  tx: Reader,
  { workspace_id, card_id, current, unrecorded }: History,
  { limit, after }: { limit: number; after: PlaceInHistory | undefined },
): Promise<IssuedNumber[] | undefined> => {
  const columns = sql.raw('prefix, number, workstream_id, card_version, assigned_at, assigned_by');
  const behind = after
    ? sql`(card_version, prefix, number) > (${after.card_version}, ${after.prefix}, ${after.number})`
    : sql`true`;
  const { rows } = await sql<IssuedNumber | { prefix: null }>`
    with on_the_way as (
      select ${columns} from ${given(unrecorded)}
    ), current as (
      (select card_version, prefix, number from identifiers
        where workspace_id = ${workspace_id} and prefix = ${current.prefix} and number = ${current.number}
          and card_id = ${card_id})
      union all
      (select card_version, prefix, number from on_the_way
        where prefix = ${current.prefix} and number = ${current.number})
      limit 1
    ), issued as (
      (select ${columns} from identifiers
        where workspace_id = ${workspace_id} and card_id = ${card_id} and ${behind}
        order by card_version, prefix, number
        limit ${limit + 1})
      union
      select ${columns} from on_the_way where ${behind}
    ), named as (
      select issued.*, name, ${isAdopted} as adopted
      from issued
      join workstreams on workstreams.workspace_id = ${workspace_id} and workstreams.id = workstream_id
    )
    -- Unknown for the identifiers that a card had before its adoption.
    select named.prefix, named.number, named.workstream_id, named.card_version, named.assigned_by, name, adopted,
      case when not (adopted and coalesce(lead(adopted) over history, false)) then assigned_at end as assigned_at,
      case when not coalesce(lead(adopted) over history, false) then lead(assigned_at) over history end as superseded_at
    from current
    left join named
      on (named.card_version, named.prefix, named.number) <= (current.card_version, current.prefix, current.number)
    window history as (order by named.card_version, named.prefix, named.number)
    order by named.card_version, named.prefix, named.number
    limit ${limit + 1}`.execute(tx);
  return rows.length === 0 ? undefined : rows.filter((row): row is IssuedNumber => row.prefix !== null);
};
