import { formatIdentifier, type WorkstreamSummary } from '@cardinal/contracts';
import { edit, versionAfterTransfer } from '../domain/edit.ts';
import { toCard } from '../store/card-rows.ts';
import { type LockedCard, lockCards, updateCard } from '../store/cards.ts';
import type { Tx } from '../store/database.ts';
import type { TransferPayload } from '../store/operations/operation.ts';
import type { Allocated, Committed } from './allocated.ts';

/** Gives the cards of pending, locked operations their new identifiers and the edits that came with them, together. */
export const commitTransfers = async (
  tx: Tx,
  workspaceId: string,
  transfers: readonly Allocated<TransferPayload>[],
  workstreams: ReadonlyMap<string, WorkstreamSummary>,
  now: Date,
): Promise<Committed[]> => {
  if (transfers.length === 0) return [];
  const ids = transfers.map(({ operation }) => operation.card_id);
  const cards = new Map((await lockCards(tx, workspaceId, ids)).map((card) => [card.id, card]));
  const committed: Committed[] = [];
  for (const transfer of transfers) {
    const card = cards.get(transfer.operation.card_id);
    // Nobody deletes a card under a pending operation, so only a fault of ours leads here.
    if (!card) throw new Error(`The card ${transfer.operation.card_id} is gone under its transfer`);
    committed.push(await transferOne(tx, transfer, card, workstreams.get(transfer.workstream.id), now));
  }
  return committed;
};

const transferOne = async (
  tx: Tx,
  { operation, number, workstream }: Allocated<TransferPayload>,
  card: LockedCard,
  projected: WorkstreamSummary | undefined,
  now: Date,
): Promise<Committed> => {
  const edited = edit(card, operation.payload.edits, now);
  const changes = {
    ...edited,
    workstream_id: workstream.id,
    identifier: formatIdentifier(workstream.prefix, number),
    version: versionAfterTransfer(card.version, edited),
    updated_at: now,
  };
  await updateCard(tx, card.workspace_id, card.id, changes);
  const { name, prefix } = projected ?? workstream;
  return { operation, card: toCard({ ...card, ...changes, workstream_name: name, workstream_prefix: prefix }) };
};
