import { mainPrefix } from '@cardinal/contracts';
import { LRUCache } from 'lru-cache';
import { type ServiceContext, workstreams } from '../context.ts';
import { announce, storeNew } from './changes.ts';

/** A default workstream is never archived nor deleted, so its id may be remembered for ever. */
const remembered = 50_000;

/** Tells the id of a workspace's default workstream, which is made where the workspace is new. */
export type DefaultWorkstreams = (workspaceId: string) => Promise<string>;

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
  return (workspaceId) => ids.forceFetch(workspaceId);
};

const findOrMake = async (context: ServiceContext, workspaceId: string): Promise<string> => {
  const { id, event } = await context.db.transaction(async (tx) => {
    const find = async () =>
      (await workstreams.in(tx, workspaceId).where('is_default', '=', true).executeTakeFirst())?.id;
    const found = await find();
    if (found) return { id: found };
    const event = await storeNew(tx, workspaceId, { name: 'Main', prefix: mainPrefix });
    return event ? { id: event.data.id, event } : { id: await find() };
  });
  if (!id) throw new Error('The prefix of the default workstream belongs to another one');
  await announce(context, event);
  return id;
};
