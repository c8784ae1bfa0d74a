import {
  closeRange,
  type archiveWorkstream as contract,
  requireFound,
  requireVersion,
  type Workstream,
} from '@cardinal/contracts';
import { answerCommand, appendEvents, endCommands, type Outcome, replayOf } from '@cardinal/db';
import { failpoint } from '@cardinal/runtime';
import type { z } from 'zod';
import type { ServiceContext, Tx } from '../context.ts';
import { announce, workstreamEvent } from './announce.ts';
import { listClosing, lockWorkstream, noteClosing, updateWorkstream } from './queries.ts';
import { archiveWorkstream } from './rules.ts';

type Request = z.output<typeof contract.request>;

/**
 * Archives a workstream in three steps (architecture, "One transaction", 4): the intent, the end of its range at the card
 * service, the archive with the stored answer. What is interrupted is finished by whoever comes by: this request when it
 * is repeated, another writer, a grant, the sweeper. After the answer no number of it is issued.
 * @throws CardinalError `not_found`, `precondition_failed`, `conflict` for the default workstream
 */
export const archive = async (context: ServiceContext, request: Request): Promise<Outcome<Workstream>> => {
  let begunHere = false;
  for (;;) {
    const found = await context.db.transaction((tx) => begin(tx, request, context.now()));
    if (typeof found === 'object') return { ...found, replayed: found.replayed && !begunHere };
    begunHere ||= found === 'begun';
    failpoint('after-archive-intent');
    await finishArchive(context, request);
  }
};

/** The answer where there is one; else what has to be finished first, begun now or before. */
const begin = async (tx: Tx, request: Request, now: Date): Promise<Outcome<Workstream> | 'begun' | 'under way'> => {
  const { workspace_id, workstream_id, command, if_match } = request;
  const locked = requireFound('Workstream', await lockWorkstream(tx, workspace_id, workstream_id));
  if (locked.closing !== null) return 'under way';
  const replay = await replayOf<Workstream>(tx, request, now);
  if (replay) return replay;
  const { workstream } = locked;
  requireVersion(workstream, if_match);
  if (archiveWorkstream(workstream, now) === workstream) return answerCommand(tx, request, workstream, now);
  await noteClosing(tx, workspace_id, workstream_id, command.id);
  return 'begun';
};

/**
 * Brings an archive that has begun to its end; nothing happens where none has.
 * @throws CardinalError `unavailable` where the card service cannot be asked now
 */
export const finishArchive = async (
  context: Pick<ServiceContext, 'db' | 'bus' | 'relay' | 'now'>,
  { workspace_id, workstream_id }: { workspace_id: string; workstream_id: string },
): Promise<void> => {
  const { db, bus, now } = context;
  const begun = await db.transaction((tx) => lockWorkstream(tx, workspace_id, workstream_id));
  if (!begun?.closing) return;
  await bus.call(closeRange, { workspace_id, workstream: begun.workstream });
  failpoint('after-close');
  const moment = now();
  const event = await db.transaction(async (tx) => {
    const locked = await lockWorkstream(tx, workspace_id, workstream_id);
    if (!locked?.closing) return undefined;
    const archived = archiveWorkstream(locked.workstream, moment);
    await updateWorkstream(tx, workspace_id, archived);
    await endCommands(tx, [{ workspaceId: workspace_id, id: locked.closing, response: archived }], moment);
    const changed = workstreamEvent(workspace_id, archived, moment);
    await appendEvents(tx, [changed]);
    failpoint('before-archive-commit');
    return changed;
  });
  failpoint('after-archive-commit');
  await announce(context, event);
};

/** Archives finished in one round of the sweeper. */
const archivesAtOnce = 100;

/** Finishes archives that were interrupted, so that none stays begun for ever. */
export const finishArchives = async (context: ServiceContext): Promise<void> => {
  const begun = await context.db.read((tx) => listClosing(tx, archivesAtOnce));
  const ends = await Promise.allSettled(begun.map((one) => finishArchive(context, one)));
  const failed = ends.filter((end) => end.status === 'rejected');
  if (failed.length === 0) return;
  context.logger.warn({ count: failed.length, err: failed[0]?.reason }, 'archives not finished');
};
