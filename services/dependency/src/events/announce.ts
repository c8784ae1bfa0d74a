import type { Bus } from '@cardinal/bus';
import { projectDependency } from '@cardinal/contracts';
import type { Logger } from '@cardinal/runtime';
import type { ChangeEvent } from './change-event.ts';

/** Longest that a writer waits for the projection (architecture, "Read your writes, across services"). */
const timeoutMs = 250;

export type Announce = (event: ChangeEvent) => Promise<void>;

/**
 * Hands a dependency's state to the card service's projection before the writer is answered. Where that does not succeed
 * in time the writer is answered all the same: the relay's copy follows.
 */
export const createAnnounce =
  ({ bus, logger }: { bus: Pick<Bus, 'call'>; logger: Logger }): Announce =>
  async (event) => {
    try {
      await bus.call(projectDependency, event, { timeoutMs });
    } catch (error) {
      logger.warn({ err: error, event_id: event.id }, 'a dependency reaches the projection only by its event');
    }
  };
