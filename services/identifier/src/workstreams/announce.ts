import type { Bus } from '@cardinal/bus';
import { type EventOf, projectWorkstream, type workstreamChanged } from '@cardinal/contracts';
import type { Relay } from '@cardinal/db';
import type { Logger } from '@cardinal/runtime';

/** Longest that a writer waits for the projection (architecture, "Read your writes, across services"). */
const timeoutMs = 250;

export type Announce = (event: EventOf<typeof workstreamChanged>) => Promise<void>;

/**
 * Makes a committed change known: wakes the relay, and hands the event to the card service's projection before the
 * writer is answered. Where that does not succeed in time the writer is answered all the same: the relay's copy follows.
 */
export const createAnnounce =
  ({ bus, relay, logger }: { bus: Bus; relay: Relay; logger: Logger }): Announce =>
  async (event) => {
    relay.nudge();
    try {
      await bus.call(projectWorkstream, event, { timeoutMs });
    } catch (error) {
      logger.warn({ err: error, event_id: event.id }, 'a workstream reaches the projection only by its event');
    }
  };
