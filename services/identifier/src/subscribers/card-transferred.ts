import type { Event } from '@cardinal/contracts';
import type { Parts } from '../parts.ts';
import { confirmByEvent } from '../protocol/confirm-by-event.ts';

/** The durable path of the confirmation of a transfer's number. */
export const onCardTransferred =
  (parts: Parts) =>
  (event: Event): Promise<void> =>
    confirmByEvent(parts, event);
