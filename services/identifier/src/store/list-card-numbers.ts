import type { WorkstreamSummary } from '@cardinal/contracts';
import type { Kysely } from 'kysely';
import type { IssuedNumber } from '../domain/history.ts';
import type { DB } from './tables.gen.ts';

/** Every number of a card: those issued, and the operations of those that are still pending. */
export interface CardNumbers {
  issued: IssuedNumber[];
  pending: { operation_id: string }[];
}

/** Reads every number that was ever given out for a card, with its workstream's present name. */
export const listCardNumbers = async (tx: Kysely<DB>, workspaceId: string, cardId: string): Promise<CardNumbers> => {
  const rows = await tx
    .selectFrom('identifiers as i')
    .innerJoin('workstreams as w', (join) =>
      join.onRef('w.workspace_id', '=', 'i.workspace_id').onRef('w.id', '=', 'i.workstream_id'),
    )
    .select(['i.prefix', 'i.number', 'i.workstream_id', 'w.name', 'i.operation_id'])
    .select(['i.card_version', 'i.assigned_at', 'i.assigned_by'])
    .where('i.workspace_id', '=', workspaceId)
    .where('i.card_id', '=', cardId)
    .execute();

  const numbers: CardNumbers = { issued: [], pending: [] };
  for (const { prefix, number, workstream_id, name, operation_id, card_version, assigned_at, assigned_by } of rows) {
    const workstream: WorkstreamSummary = { id: workstream_id, name, prefix };
    if (card_version === null || assigned_at === null) numbers.pending.push({ operation_id });
    else numbers.issued.push({ prefix, number, workstream, card_version, assigned_at, assigned_by });
  }
  return numbers;
};
