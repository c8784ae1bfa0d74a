import type { InternalEventContract, InternalEventOf } from '@cardinal/contracts';
import { currentContext } from '@cardinal/runtime';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import type { z } from 'zod';
import { type Database, purge } from './database.ts';

/** What an internal event is made of: the state that it carries is the one that the aggregate has at this version. */
interface InternalEventDetails<Data> {
  workspaceId: string;
  aggregate: { id: string; version: number };
  data: Data;
  now: Date;
  /** Of the request that made it so; the one under way where left out. */
  requestId?: string | undefined;
}

/** Makes an internal event of the request under way, for `appendChanges`. */
export const newInternalEvent = <Data extends z.ZodType>(
  contract: InternalEventContract<Data>,
  { workspaceId, aggregate, data, now, requestId = currentContext()?.requestId }: InternalEventDetails<z.output<Data>>,
): InternalEventOf<InternalEventContract<Data>> => {
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
  return event as InternalEventOf<InternalEventContract<Data>>;
};

/** Deletes internal events noted before `olderThan`; returns how many. A projection that lacks them is rebuilt. */
export const purgeInternalEvents = <Tables>(db: Database<Tables>, olderThan: Date): Promise<number> =>
  purge(db, 'internal_events', sql`noted_at < ${olderThan}`);

/** Deletes what was bridged to the outbox before `olderThan` (see `createInternalEvents`); returns how many. */
export const purgeOutbox = <Tables>(db: Database<Tables>, olderThan: Date): Promise<number> =>
  purge(db, 'outbox', sql`created_at < ${olderThan}`);
