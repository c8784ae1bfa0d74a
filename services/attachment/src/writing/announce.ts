import type { Bus } from '@cardinal/bus';
import { projectLinkedFile } from '@cardinal/contracts';
import type { Relay } from '@cardinal/db';
import type { LinkEvent } from './events.ts';

export type Announce = (links: LinkEvent[]) => Promise<void>;

/** Makes a committed change known: wakes the relay, and tells the card service of links before the writer is answered. */
export const createAnnounce =
  ({ bus, relay }: { bus: Pick<Bus, 'callBestEffort'>; relay: Pick<Relay, 'nudge'> }): Announce =>
  async (links) => {
    relay.nudge();
    await Promise.all(links.map((event) => bus.callBestEffort(projectLinkedFile, event)));
  };
