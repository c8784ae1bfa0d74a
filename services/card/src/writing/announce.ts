import type { Bus } from '@cardinal/bus';
import { type cardDeleted, type EventOf, projectCardDeleted } from '@cardinal/contracts';
import type { Logger } from '@cardinal/runtime';

/** Longest that a writer waits for the projection (architecture, "Read your writes, across services"). */
const timeoutMs = 250;

export type Announce = (event: EventOf<typeof cardDeleted>) => Promise<void>;

/**
 * Hands a card's end to the dependency service before the writer is answered: a dependency put next must not meet a
 * cycle through it. Where that does not succeed in time the writer is answered all the same: the relay's copy follows.
 * The attachment service needs no such word of cards or subtasks: before it shows or writes a cover or a link it asks
 * here whether they exist, so what it still holds of a deleted one is never seen.
 */
export const createAnnounce =
  ({ bus, logger }: { bus: Pick<Bus, 'call'>; logger: Logger }): Announce =>
  async (event) => {
    try {
      await bus.call(projectCardDeleted, event, { timeoutMs });
    } catch (error) {
      logger.warn({ err: error, event_id: event.id }, 'a deletion reaches the dependency service only by its event');
    }
  };
