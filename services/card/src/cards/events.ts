import { cardDeleted, cardUpdated } from '@cardinal/contracts';
import { newEvent, resourceOf } from '@cardinal/db';
import type { CardRow } from './queries.ts';

/** What an event tells of a card. */
type EventCard = Pick<
  CardRow,
  'id' | 'version' | 'board_id' | 'title' | 'identifier' | 'workstream_id' | 'completed_at' | 'archived_at'
>;

const stateOf = resourceOf(cardUpdated.schema.shape.data);

/** The card changed and kept its identifier; as `cardEvent` writes it in SQL. */
export const cardUpdatedEvent = (workspaceId: string, card: EventCard, now: Date) =>
  newEvent(cardUpdated, { workspaceId, aggregate: card, data: stateOf(card), now });

/** The card is gone; its last event counts one version above its last state, so that it wins over that. */
export const cardDeletedEvent = (workspaceId: string, { id, version, board_id, identifier }: EventCard, now: Date) =>
  newEvent(cardDeleted, {
    workspaceId,
    aggregate: { id, version: version + 1 },
    data: { board_id, identifier },
    now,
  });
