import type { InternalEventContract, InternalEventOf } from '@cardinal/contracts';
import { currentContext } from '@cardinal/runtime';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import type { z } from 'zod';
import { type Database, purge } from './database.ts';

/** Content of an internal event: the state of the aggregate at this version. */
interface InternalEventDetails<Data> {
  workspaceId: string;
  aggregate: { id: string; version: number };
  data: Data;
  now: Date;
  /** The request that changed it; by default the current one. */
  requestId?: string | undefined;
}

/** Makes an internal event for `appendChanges`. */
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

/** Deletes internal events older than `olderThan`. A projection that lacks them is rebuilt. @returns how many */
export const purgeInternalEvents = <Tables>(db: Database<Tables>, olderThan: Date): Promise<number> =>
  purge(db, 'internal_events', sql`noted_at < ${olderThan}`);

/** Deletes events bridged to the outbox before `olderThan` (see `createInternalEvents`). @returns how many */
export const purgeOutbox = <Tables>(db: Database<Tables>, olderThan: Date): Promise<number> =>
  purge(db, 'outbox', sql`created_at < ${olderThan}`);
