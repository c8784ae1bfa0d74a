import type { cardCreated, cardTransferred, Event, EventOf } from '@cardinal/contracts';
import type { Confirmations } from './confirmations.ts';

/**
 * Confirms the number that an event tells of; the event's time is that of the card's commit.
 * @param event `card.created` or `card.transferred`, parsed by the bus
 */
export const confirmByEvent = async (
  { confirmations }: { confirmations: Confirmations },
  event: Event,
): Promise<void> => {
  const { operation_id } = (event as EventOf<typeof cardCreated | typeof cardTransferred>).data;
  await confirmations.submit({
    workspace_id: event.workspace_id,
    operation_id,
    card_version: event.aggregate_version,
    assigned_at: event.occurred_at,
  });
};
