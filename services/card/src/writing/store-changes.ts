import type { Card } from '@cardinal/contracts';
import { appendEvents, endCommands } from '@cardinal/db';
import { currentContext } from '@cardinal/runtime';
import { v7 } from 'uuid';
import { updated } from '../domain/events.ts';
import { toCard } from '../store/card-rows.ts';
import { type CardChanges, type LockedCard, updateCard } from '../store/cards.ts';
import type { Tx } from '../store/database.ts';
import type { CardWrite } from './open-card.ts';

/** Columns that one write sets to something else; the version and the time of the update follow from it. */
export type Changes = Partial<Omit<LockedCard, 'workspace_id' | 'id' | 'version' | 'updated_at' | 'board_deleted_at'>> &
  CardChanges;

/**
 * Ends a write to a locked card: one version more, the event, and the answer stored for a replay. A write that changes
 * nothing leaves the card as it is and only stores its answer (api-decisions, "Cards").
 */
export const storeChanges = async (
  tx: Tx,
  write: CardWrite,
  card: LockedCard,
  changes: Changes,
  now: Date,
): Promise<Card> => {
  const { workspace_id: workspaceId, command } = write;
  if (Object.keys(changes).length === 0) {
    const unchanged = toCard(card);
    await endCommands(tx, [{ workspaceId, id: command.id, response: unchanged }], now);
    return unchanged;
  }
  const set = { ...changes, version: card.version + 1, updated_at: now };
  await updateCard(tx, workspaceId, card.id, set);
  const changed = toCard({ ...card, ...set });
  await endCommands(tx, [{ workspaceId, id: command.id, response: changed }], now);
  const requestId = currentContext()?.requestId ?? command.id;
  await appendEvents(tx, [updated(changed, { eventId: v7(), now, workspaceId, requestId })]);
  return changed;
};
