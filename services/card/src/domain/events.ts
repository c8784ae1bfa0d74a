import {
  type Card,
  cardDeleted,
  cardUpdated,
  type Event,
  type EventContract,
  subtaskDeleted,
} from '@cardinal/contracts';

/** What an event needs that the card does not tell. */
export interface Occasion {
  eventId: string;
  now: Date;
  workspaceId: string;
  requestId: string;
}

const eventOf = (
  contract: EventContract,
  occasion: Occasion,
  aggregate: { id: string; version: number },
  data: unknown,
): Event => ({
  id: occasion.eventId,
  type: contract.type,
  version: contract.version,
  occurred_at: occasion.now.toISOString(),
  workspace_id: occasion.workspaceId,
  request_id: occasion.requestId,
  aggregate_id: aggregate.id,
  aggregate_version: aggregate.version,
  data,
});

/** What an event tells of a card. */
export type EventCard = Pick<
  Card,
  'id' | 'version' | 'board_id' | 'title' | 'identifier' | 'completed_at' | 'archived_at'
> & { workstream: Pick<Card['workstream'], 'id'> };

const state = (card: EventCard) => ({
  board_id: card.board_id,
  title: card.title,
  identifier: card.identifier,
  workstream_id: card.workstream.id,
  completed_at: card.completed_at,
  archived_at: card.archived_at,
});

/** The card changed and kept its identifier. */
export const updated = (card: EventCard, occasion: Occasion): Event =>
  eventOf(cardUpdated, occasion, card, state(card));

/** The card is gone; its last event counts one version above its last state, so that it wins over that. */
export const deleted = (card: EventCard, occasion: Occasion): Event =>
  eventOf(
    cardDeleted,
    occasion,
    { id: card.id, version: card.version + 1 },
    { board_id: card.board_id, identifier: card.identifier },
  );

/** A subtask is gone, by itself and not with its card. */
export const subtaskGone = (
  { id, version, card_id }: { id: string; version: number; card_id: string },
  occasion: Occasion,
): Event => eventOf(subtaskDeleted, occasion, { id, version: version + 1 }, { card_id });
