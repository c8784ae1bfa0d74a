import {
  type CardinalError,
  conflict,
  type createWorkstream,
  mainPrefix,
  requireFound,
  unavailable,
  type Workstream,
} from '@cardinal/contracts';
import { appendChange, appendChanges, type Outcome } from '@cardinal/db';
import { runWrite } from '@cardinal/service';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import type { ServiceContext } from '../context.ts';
import { type Reader, type WorkstreamRow, workstreams } from '../database.ts';
import { hasHadCards } from '../ledger/queries.ts';
import { wasAsked } from '../ledger/rules.ts';
import { lockUnlessEnding } from './endings.ts';
import { announce, changeTo, stateEvent, storeChange, storeNew, toWorkstream } from './queries.ts';

/** A default workstream is never archived or deleted, so its id can be cached for ever. */
const remembered = 50_000;

/**
 * Returns the id of a workspace's default workstream, and creates it in a new workspace.
 * @param userId the requesting user, where known: followers get events only of what a user did
 */
export type DefaultWorkstreams = (workspaceId: string, userId?: string) => Promise<string>;

/**
 * Creates the default workstream of a workspace on first use, once, however many first requests race (CONTRACT 2.3):
 * those of one process share one attempt, those of several meet in the unique prefix.
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
    // One that was lost in a rollback is created again as it was.
    const stored = await storeNew(tx, workspaceId, { name: 'Main', prefix: mainPrefix, adopting: mark.adopting }, mark);
    if (stored && userId) {
      const by = { workspace_id: workspaceId, user_id: userId };
      await appendChange(tx, workspaceId, changeTo('workstream.created', by, stored));
    } else if (stored) await appendChanges(tx, workspaceId, [], [stateEvent(workspaceId, stored)]);
    return stored;
  });
  if (made) await announce(context, workspaceId, made);
  return mark.workstream_id;
};

/**
 * Makes the default workstream adopt, before the first card of its workspace (CONTRACT 4.8). The register decides
 * whether a number of it was ever granted, and stores before the row that it adopts. The row decides between this and a
 * concurrent create that requests the first number (`noteFirstAsked`).
 * @throws CardinalError `conflict` where the workspace has or had a card, or `MAIN` adopts or was opened
 */
export const adoptInDefault = async (
  context: ServiceContext,
  request: z.output<typeof createWorkstream.request>,
  workstream_id: string,
): Promise<Outcome<Workstream>> => {
  const { db, lineage, marks } = context;
  const { workspace_id, body } = request;
  const key = { workspace_id, workstream_id };
  const met = await lineage.met();
  const seen = requireFound('Workstream', await db.read((tx) => workstreams.find(tx, workspace_id, workstream_id)));
  const findRefusal = async () => {
    const had = await db.read((tx) => hasHadCards(tx, workspace_id));
    const refusal = had
      ? conflict(`${mainPrefix} adopts only before the first card of its workspace`)
      : refusalOf(seen);
    return refusal ?? ((await marks.beginAdopting(seen)) ? undefined : conflict(wasIssued));
  };
  const refusal = await findRefusal();
  const outcome = await runWrite(context, request, {
    what: 'Workstream',
    lock: (tx) => lockUnlessEnding(tx, context, key),
    write: async (tx, row, now) => {
      // The register was read for another database.
      if (!(await lineage.isCurrent(tx, met))) throw unavailable('Another epoch has begun');
      const refused = refusal ?? refusalOf(row);
      if (refused) throw refused;
      const { name, description = row.description } = body;
      const range = { granted_through: 0, adopted_through: row.granted_through };
      return storeChange(tx, row, { name, description, adopting: true, ...range }, now);
    },
    event: (row, changed) => changeTo('workstream.updated', request, changed, toWorkstream(row)),
  });
  await announce(context, workspace_id, outcome.resource);
  return outcome;
};

const wasIssued = `Identifiers with the prefix ${mainPrefix} were issued before, or may have been`;

const refusalOf = (row: WorkstreamRow): CardinalError | undefined => {
  if (row.adopting) return conflict(`${mainPrefix} adopts already`);
  return wasAsked(row) ? conflict(wasIssued) : undefined;
};
