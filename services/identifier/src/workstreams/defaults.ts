import { mainPrefix } from '@cardinal/contracts';
import { appendChanges, changeOf } from '@cardinal/db';
import { LRUCache } from 'lru-cache';
import type { ServiceContext } from '../context.ts';
import { type Reader, workstreams } from '../database.ts';
import { announce, changeTo, storeNew } from './queries.ts';

/** A default workstream is never archived nor deleted, so its id may be remembered for ever. */
const remembered = 50_000;

/**
 * Answers the id of a workspace's default workstream; makes it where the workspace is new.
 * @param userId who asks, where that is known: followers hear only of what somebody did
 */
export type DefaultWorkstreams = (workspaceId: string, userId?: string) => Promise<string>;

/**
 * Makes the default workstream of a workspace on first use, once, however many first requests race (api-decisions,
 * "Tokens"): those of one process share one attempt, those of several meet in the unique prefix.
 */
export const createDefaultWorkstreams = (context: ServiceContext): DefaultWorkstreams => {
  const ids = new LRUCache<string, string, string | undefined>({
    max: remembered,
    fetchMethod: (workspaceId, _stale, { context: userId }) => findOrMake(context, workspaceId, userId),
    ignoreFetchAbort: true,
  });
  return (workspaceId, userId) => ids.forceFetch(workspaceId, { context: userId });
};

const findOrMake = async (context: ServiceContext, workspaceId: string, userId?: string): Promise<string> => {
  const find = (tx: Reader) => workstreams.in(tx, workspaceId).where('is_default', '=', true).executeTakeFirst();
  const found = await context.db.read(find);
  if (found) return found.id;
  const beginning = await context.lineage.beginningOfNew();
  const mark = await context.marks.reserve(workspaceId, mainPrefix, false, beginning);
  const made = await context.db.transaction(async (tx) => {
    const stored = await storeNew(tx, workspaceId, { name: 'Main', prefix: mainPrefix }, mark);
    if (stored && userId) {
      await appendChanges(tx, workspaceId, [changeOf(changeTo('workstream.created', { user_id: userId }, stored))]);
    }
    return stored;
  });
  if (made) await announce(context, workspaceId, made);
  return mark.workstream_id;
};
