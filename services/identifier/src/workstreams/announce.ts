import { type EventOf, projectWorkstream, type Workstream, workstreamChanged } from '@cardinal/contracts';
import { newEvent } from '@cardinal/db';
import type { ServiceContext } from '../context.ts';

type WorkstreamEvent = EventOf<typeof workstreamChanged>;

/** The event that tells of a workstream's new state. */
export const workstreamEvent = (workspaceId: string, workstream: Workstream, now: Date): WorkstreamEvent =>
  newEvent(workstreamChanged, { workspaceId, aggregate: workstream, data: workstream, now });

/** Makes a committed change known: wakes the relay, and tells the card service before the writer is answered. */
export const announce = async (
  { bus, relay }: Pick<ServiceContext, 'bus' | 'relay'>,
  event: WorkstreamEvent | undefined,
): Promise<void> => {
  if (!event) return;
  relay.nudge();
  await bus.tell(projectWorkstream, event);
};
