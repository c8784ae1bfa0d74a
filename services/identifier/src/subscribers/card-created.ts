import type { Event } from '@cardinal/contracts';
import type { Parts } from '../parts.ts';
import { confirmByEvent } from '../protocol/confirm-by-event.ts';

/** The durable path of the confirmation of a new card's number. */
export const onCardCreated =
  (parts: Parts) =>
  (event: Event): Promise<void> =>
    confirmByEvent(parts, event);
