import { type IssuedIdentifier, type parseIdentifier, recordedAtOnce } from '@cardinal/contracts';
import { sql } from 'kysely';
import type { Reader } from '../database.ts';
import type { IssuedNumber } from './rules.ts';

/** A number as it is written in an identifier, inside its workspace. */
export interface NumberKey extends NonNullable<ReturnType<typeof parseIdentifier>> {
  workspace_id: string;
}

/** The identifiers as a table `issued`, in one parameter: the statement's text does not grow with their number. */
const given = (issued: readonly IssuedIdentifier[]) => sql`(
    select workspace_id, split_part(identifier, '-', 1) as prefix, split_part(identifier, '-', 2)::bigint as number,
      workstream_id, card_id, card_version, assigned_at, assigned_by
    from json_to_recordset(${JSON.stringify(issued)}) as one (
      workspace_id uuid, identifier text, workstream_id uuid, card_id uuid,
      card_version integer, assigned_at timestamptz(3), assigned_by uuid)
  ) as issued`;

/** Writes identifiers that the ledger does not have; what it has never changes. In one order, so that none waits in a circle. */
export const insertIdentifiers = async (tx: Reader, issued: readonly IssuedIdentifier[]): Promise<void> => {
  await sql`
    insert into identifiers
      (workspace_id, prefix, number, workstream_id, card_id, card_version, assigned_at, assigned_by)
    select workspace_id, prefix, number, workstream_id, card_id, card_version, assigned_at, assigned_by
    from ${given(issued)}
    order by workspace_id, prefix, number
    on conflict do nothing`.execute(tx);
};

/** Those of the identifiers that the ledger has for another card. */
export const findOthers = async (tx: Reader, issued: readonly IssuedIdentifier[]): Promise<IssuedIdentifier[]> => {
  const { rows } = await sql<{ workspace_id: string; identifier: string }>`
    select workspace_id, prefix || '-' || number as identifier
    from ${given(issued)}
    -- Each by its key: the offset keeps Postgres from passing the whole ledger.
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

/** Finds which card each identifier was issued to; those that the ledger does not have are left out. */
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

/** The highest number of a prefix that was ever recorded; 0 where none was. */
export const highestNumber = async (tx: Reader, workspaceId: string, prefix: string): Promise<number> => {
  const row = await tx
    .selectFrom('identifiers')
    .select('number')
    .where('workspace_id', '=', workspaceId)
    .where('prefix', '=', prefix)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.number ?? 0;
};

/** Every identifier of a card, those on their way to the ledger too, with the present names of their workstreams. */
export const listOfCard = async (
  tx: Reader,
  workspaceId: string,
  cardId: string,
  unrecorded: readonly IssuedIdentifier[],
): Promise<IssuedNumber[]> => {
  const { rows } = await sql<Omit<IssuedNumber, 'workstream'> & { workstream_id: string; name: string }>`
    select issued.prefix, number, workstream_id, name, card_version, assigned_at, assigned_by
    from (
      select prefix, number, workstream_id, card_version, assigned_at, assigned_by
      from identifiers where workspace_id = ${workspaceId} and card_id = ${cardId}
      union
      select prefix, number, workstream_id, card_version, assigned_at, assigned_by
      from ${given(unrecorded)} where workspace_id = ${workspaceId} and card_id = ${cardId}
    ) as issued
    join workstreams on workstreams.workspace_id = ${workspaceId} and workstreams.id = workstream_id`.execute(tx);
  return rows.map(({ workstream_id, name, ...issued }) => ({
    ...issued,
    workstream: { id: workstream_id, name, prefix: issued.prefix },
  }));
};
