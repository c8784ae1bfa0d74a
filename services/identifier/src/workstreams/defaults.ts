import { mainPrefix } from '@cardinal/contracts';
import { LRUCache } from 'lru-cache';
import { type ServiceContext, type Tx, workstreams } from '../context.ts';
import { announce, storeNew } from './queries.ts';

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
  const find = (tx: Tx) => workstreams.in(tx, workspaceId).where('is_default', '=', true).executeTakeFirst();
  const { id, made } = await context.db.transaction(async (tx) => {
    const found = await find(tx);
    const made = found ? undefined : await storeNew(tx, workspaceId, { name: 'Main', prefix: mainPrefix });
    return { id: (found ?? made ?? (await find(tx)))?.id, made };
  });
  if (!id) throw new Error('The prefix of the default workstream belongs to another one');
  if (made) await announce(context, workspaceId, made);
  return id;
};
