import { appendEvents, type Database } from '@cardinal/db';
import { LRUCache } from 'lru-cache';
import { v7 } from 'uuid';
import { newMain } from '../domain/workstream.ts';
import { getDefaultWorkstream } from '../store/get-default-workstream.ts';
import { insertWorkstream } from '../store/insert-workstream.ts';
import type { DB } from '../store/tables.gen.ts';
import type { Announce } from './announce.ts';
import { workstreamEvent } from './event.ts';

interface Needs {
  db: Database<DB>;
  announce: Announce;
  now: () => Date;
}

/** The default workstreams of all workspaces. */
export interface Mains {
  /** The id of a workspace's default workstream, which is made where the workspace is new. */
  idOf(workspaceId: string): Promise<string>;
}

/** A default workstream is never archived nor deleted, so its id may be remembered for ever. */
const remembered = 50_000;

/**
 * Makes the default workstream of a workspace on first use, once, however many first requests race (api-decisions,
 * "Tokens"): those of one process share one attempt, those of several meet in the unique prefix.
 */
export const createMains = (needs: Needs): Mains => {
  const ids = new LRUCache<string, string>({
    max: remembered,
    fetchMethod: (workspaceId) => findOrMake(needs, workspaceId),
    ignoreFetchAbort: true,
  });
  return {
    idOf: async (workspaceId) => ids.get(workspaceId) ?? ids.forceFetch(workspaceId),
  };
};

const findOrMake = async ({ db, announce, now }: Needs, workspaceId: string): Promise<string> => {
  const moment = now();
  const { id, event } = await db.transaction(async (tx) => {
    const found = await getDefaultWorkstream(tx, workspaceId);
    if (found) return { id: found };
    const main = newMain(v7(), moment);
    if (await insertWorkstream(tx, workspaceId, main)) {
      const made = workstreamEvent(workspaceId, main, moment);
      await appendEvents(tx, [made]);
      return { id: main.id, event: made };
    }
    const winner = await getDefaultWorkstream(tx, workspaceId);
    if (!winner) throw new Error('The prefix of the default workstream belongs to another one');
    return { id: winner };
  });
  if (event) await announce(event);
  return id;
};
