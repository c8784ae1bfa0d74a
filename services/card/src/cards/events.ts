import { type Card, cardDeleted, cardUpdated } from '@cardinal/contracts';
import { newEvent } from '@cardinal/db';

/** What an event tells of a card, as it is stored or as clients see it. */
type EventCard = Pick<Card, 'id' | 'version' | 'board_id' | 'title' | 'identifier'> & {
  workstream_id: string;
} & Record<'completed_at' | 'archived_at', Date | null>;

/** The card changed and kept its identifier; as `cardEvent` writes it in SQL. */
export const cardUpdatedEvent = (workspaceId: string, card: EventCard, now: Date) =>
  newEvent(cardUpdated, {
    workspaceId,
    aggregate: card,
    data: {
      board_id: card.board_id,
      title: card.title,
      identifier: card.identifier,
      workstream_id: card.workstream_id,
      completed_at: card.completed_at?.toISOString() ?? null,
      archived_at: card.archived_at?.toISOString() ?? null,
    },
    now,
  });

/** The card is gone; its last event counts one version above its last state, so that it wins over that. */
export const cardDeletedEvent = (workspaceId: string, { id, version, board_id, identifier }: EventCard, now: Date) =>
  newEvent(cardDeleted, {
    workspaceId,
    aggregate: { id, version: version + 1 },
    data: { board_id, identifier },
    now,
  });
