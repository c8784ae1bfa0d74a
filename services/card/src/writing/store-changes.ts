import type { Card } from '@cardinal/contracts';
import { appendEvents } from '@cardinal/db';
import { cardUpdatedEvent } from '../cards/events.ts';
import { toCard } from '../store/card-rows.ts';
import { type CardChanges, type LockedCard, updateCard } from '../store/cards.ts';
import type { Tx } from '../store/database.ts';

/** Columns that one write sets; the version and the time of the update follow from it. */
export type Changes = Partial<
  Omit<LockedCard, 'workspace_id' | 'id' | 'version' | 'updated_at' | 'board_archived_at' | 'board_deleted_at'>
> &
  CardChanges;

/**
 * Changes a locked card: one version more, and the event. Where nothing comes out different, the card stays as it is
 * (api-decisions, "Cards").
 */
export const storeChanges = async (tx: Tx, card: LockedCard, changes: Changes, now: Date): Promise<Card> => {
  const different = Object.entries(changes).filter(([column, value]) => value !== card[column as keyof LockedCard]);
  if (different.length === 0) return toCard(card);
  const set = { ...(Object.fromEntries(different) as Changes), version: card.version + 1, updated_at: now };
  await updateCard(tx, card.workspace_id, card.id, set);
  const changed: LockedCard = { ...card, ...set };
  await appendEvents(tx, [cardUpdatedEvent(card.workspace_id, changed, now)]);
  return toCard(changed);
};
