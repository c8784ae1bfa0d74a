import { mainPrefix } from '@cardinal/contracts';
import { LRUCache } from 'lru-cache';
import type { ServiceContext } from '../context.ts';
import { type Reader, workstreams } from '../database.ts';
import { announce, storeNew } from './queries.ts';

/** A default workstream is never archived nor deleted, so its id may be remembered for ever. */
const remembered = 50_000;

/** Answers the id of a workspace's default workstream; makes it where the workspace is new. */
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
  const find = (tx: Reader) => workstreams.in(tx, workspaceId).where('is_default', '=', true).executeTakeFirst();
  const found = await context.db.read(find);
  if (found) return found.id;
  const { workstream_id: id } = await context.marks.reserve(workspaceId, mainPrefix, false);
  const made = await context.db.transaction((tx) =>
    storeNew(tx, workspaceId, { name: 'Main', prefix: mainPrefix, id }),
  );
  if (made) await announce(context, workspaceId, made);
  return id;
};
