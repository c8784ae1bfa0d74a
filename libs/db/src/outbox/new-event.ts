import type { EventContract, EventOf } from '@cardinal/contracts';
import { currentContext } from '@cardinal/runtime';
import { v7 } from 'uuid';
import type { z } from 'zod';

/** Of what an event tells: the state that it carries is the one that the aggregate has at this version. */
export interface Told<Data> {
  workspaceId: string;
  aggregate: { id: string; version: number };
  data: Data;
  now: Date;
  /** Of the request that made it so; the one under way where left out. */
  requestId?: string | undefined;
}

/** An event of the request under way, for {@link appendEvents}. */
export const newEvent = <Data extends z.ZodType>(
  contract: EventContract<Data>,
  { workspaceId, aggregate, data, now, requestId = currentContext()?.requestId }: Told<z.output<Data>>,
): EventOf<EventContract<Data>> => {
  const id = v7();
  const event = {
    id,
    type: contract.type,
    version: contract.version,
    occurred_at: now.toISOString(),
    workspace_id: workspaceId,
    request_id: requestId ?? id,
    aggregate_id: aggregate.id,
    aggregate_version: aggregate.version,
    data,
  };
  return event as EventOf<EventContract<Data>>;
};
