import type { Bus } from '@cardinal/bus';
import { projectLinkedFile } from '@cardinal/contracts';
import type { Relay } from '@cardinal/db';
import type { Logger } from '@cardinal/runtime';
import type { LinkEvent } from './events.ts';

/** Longest that a writer waits for the projection (architecture, "Read your writes, across services"). */
const timeoutMs = 250;

export type Announce = (links: LinkEvent[]) => Promise<void>;

/**
 * Makes a committed change known: wakes the relay, and hands changed links to the card service's projection before the
 * writer is answered. Where that does not succeed in time the writer is answered all the same: the relay's copy follows.
 */
export const createAnnounce =
  ({ bus, relay, logger }: { bus: Pick<Bus, 'call'>; relay: Pick<Relay, 'nudge'>; logger: Logger }): Announce =>
  async (links) => {
    relay.nudge();
    const deliveries = links.map((event) => bus.call(projectLinkedFile, event, { timeoutMs }));
    for (const outcome of await Promise.allSettled(deliveries)) {
      if (outcome.status === 'rejected') {
        logger.warn({ err: outcome.reason }, 'a linked file reaches the projection only by its event');
      }
    }
  };
