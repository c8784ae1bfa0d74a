import { appendEvents } from '@cardinal/db';
import { LRUCache } from 'lru-cache';
import { v7 } from 'uuid';
import type { ServiceContext } from '../context.ts';
import { announce, workstreamEvent } from './announce.ts';
import { getDefaultWorkstream, insertWorkstream } from './queries.ts';
import { newDefaultWorkstream } from './rules.ts';

/** The default workstreams of all workspaces. */
export interface DefaultWorkstreams {
  /** The id of a workspace's default workstream, which is made where the workspace is new. */
  idOf(workspaceId: string): Promise<string>;
}

/** A default workstream is never archived nor deleted, so its id may be remembered for ever. */
const remembered = 50_000;

/**
 * Makes the default workstream of a workspace on first use, once, however many first requests race (api-decisions,
 * "Tokens"): those of one process share one attempt, those of several meet in the unique prefix.
 */
export const createDefaultWorkstreams = (context: ServiceContext): DefaultWorkstreams => {
  const ids = new LRUCache<string, string>({
    max: remembered,
    fetchMethod: (workspaceId) => findOrMake(context, workspaceId),
    ignoreFetchAbort: true,
  });
  return { idOf: async (workspaceId) => ids.get(workspaceId) ?? ids.forceFetch(workspaceId) };
};

const findOrMake = async (context: ServiceContext, workspaceId: string): Promise<string> => {
  const now = context.now();
  const made = newDefaultWorkstream(v7(), now);
  const event = workstreamEvent(workspaceId, made, now);
  const id = await context.db.transaction(async (tx) => {
    const found = await getDefaultWorkstream(tx, workspaceId);
    if (found) return found;
    if (!(await insertWorkstream(tx, workspaceId, made))) return getDefaultWorkstream(tx, workspaceId);
    await appendEvents(tx, [event]);
    return made.id;
  });
  if (!id) throw new Error('The prefix of the default workstream belongs to another one');
  if (id === made.id) await announce(context, event);
  return id;
};
