import {
  closeRange,
  notFound,
  unavailable,
  type Workstream,
  workstream as workstreamSchema,
} from '@cardinal/contracts';
import { appendEvents, claimCommands, endCommands, type Transaction } from '@cardinal/db';
import { failpoint } from '@cardinal/runtime';
import { archiveWorkstream, requireVersion } from '../domain/workstream.ts';
import type { Parts } from '../parts.ts';
import { lockWorkstream } from '../store/lock-workstream.ts';
import type { DB } from '../store/tables.gen.ts';
import { noteClosing, updateWorkstream } from '../store/update-workstream.ts';
import { workstreamEvent } from './event.ts';
import type { Outcome, VersionedRequest } from './once.ts';

/** Which workstream. */
export interface WorkstreamKey {
  workspace_id: string;
  workstream_id: string;
}

type Needs = Pick<Parts, 'db' | 'bus' | 'announce' | 'now'>;

/**
 * Archives a workstream in three steps (architecture, "One transaction", 4): the intent, the end of its range at the card
 * service, the archive with the stored answer. What is interrupted is finished by whoever comes by: this request when it
 * is repeated, another writer, a grant, the sweeper.
 */
export const archive = async (parts: Needs, request: VersionedRequest): Promise<Outcome> => {
  let begunHere = false;
  for (;;) {
    const found = await parts.db.transaction((tx) => begin(tx, request, parts.now()));
    if (typeof found === 'object') return { ...found, replayed: found.replayed && !begunHere };
    begunHere ||= found === 'begun';
    failpoint('after-archive-intent');
    await finishArchive(parts, request);
  }
};

/** The answer where there is one; else what has to be finished first, begun now or before. */
const begin = async (
  tx: Transaction<DB>,
  { workspace_id, workstream_id, command, if_match }: VersionedRequest,
  now: Date,
): Promise<Outcome | 'begun' | 'under way'> => {
  const locked = await lockWorkstream(tx, workspace_id, workstream_id);
  if (!locked) throw notFound('Workstream');
  if (locked.closing !== null) return 'under way';
  const [claim] = await claimCommands(tx, [{ workspaceId: workspace_id, ...command }], now);
  if (claim instanceof Error) throw claim;
  if (claim?.state === 'ended') return { resource: workstreamSchema.parse(claim.response), replayed: true };
  if (claim?.state !== 'claimed') throw unavailable('The command is under way');
  const { workstream } = locked;
  requireVersion(workstream, if_match);
  if (archiveWorkstream(workstream, now) === workstream) {
    await endCommands(tx, [{ workspaceId: workspace_id, id: command.id, response: workstream }], now);
    return { resource: workstream, replayed: false };
  }
  await noteClosing(tx, workspace_id, workstream_id, command.id);
  return 'begun';
};

/**
 * Brings an archive that has begun to its end; nothing happens where none has.
 * @throws CardinalError `unavailable` where the card service cannot be asked now
 */
export const finishArchive = async (
  { db, bus, announce, now }: Needs,
  { workspace_id, workstream_id }: WorkstreamKey,
): Promise<void> => {
  const begun = await db.transaction((tx) => lockWorkstream(tx, workspace_id, workstream_id));
  if (!begun?.closing) return;
  await bus.call(closeRange, { workspace_id, workstream: begun.workstream });
  failpoint('after-close');
  const moment = now();
  const event = await db.transaction(async (tx) => {
    const locked = await lockWorkstream(tx, workspace_id, workstream_id);
    if (!locked?.closing) return undefined;
    const archived: Workstream = archiveWorkstream(locked.workstream, moment);
    await updateWorkstream(tx, workspace_id, archived);
    await endCommands(tx, [{ workspaceId: workspace_id, id: locked.closing, response: archived }], moment);
    const changed = workstreamEvent(workspace_id, archived, moment);
    await appendEvents(tx, [changed]);
    failpoint('before-archive-commit');
    return changed;
  });
  failpoint('after-archive-commit');
  if (event) await announce(event);
};
