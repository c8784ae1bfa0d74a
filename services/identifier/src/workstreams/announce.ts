import type { Bus } from '@cardinal/bus';
import { type EventOf, projectWorkstream, type workstreamChanged } from '@cardinal/contracts';
import type { Relay } from '@cardinal/db';

export type Announce = (event: EventOf<typeof workstreamChanged>) => Promise<void>;

/** Makes a committed change known: wakes the relay, and tells the card service before the writer is answered. */
export const createAnnounce =
  ({ bus, relay }: { bus: Pick<Bus, 'tell'>; relay: Pick<Relay, 'nudge'> }): Announce =>
  (event) => {
    relay.nudge();
    return bus.tell(projectWorkstream, event);
  };
