import { type EventOf, notFound, type Workstream, type workstreamChanged } from '@cardinal/contracts';
import { appendEvents } from '@cardinal/db';
import { requireVersion } from '../domain/workstream.ts';
import type { Parts } from '../parts.ts';
import { lockWorkstream } from '../store/lock-workstream.ts';
import { updateWorkstream } from '../store/update-workstream.ts';
import { finishArchive } from './archive.ts';
import { workstreamEvent } from './event.ts';
import { type Outcome, once, type VersionedRequest } from './once.ts';

/**
 * Changes a workstream under its lock. The order of the checks is 404, replay, 412, and then those of `decide`
 * (api-decisions, "Requests, responses, errors").
 * @param decide the next state, or the present one itself where nothing changes; then version and time stay and no event
 *   is sent, yet the command is remembered
 */
export const changeWorkstream = async (
  parts: Pick<Parts, 'db' | 'bus' | 'announce' | 'now'>,
  request: VersionedRequest,
  decide: (current: Workstream, now: Date) => Workstream,
): Promise<Outcome> => {
  const { db, announce, now } = parts;
  const moment = now();
  const { workspace_id, workstream_id } = request;
  let event: EventOf<typeof workstreamChanged> | undefined;
  const outcome = await db.transaction(async (tx) => {
    const locked = await lockWorkstream(tx, workspace_id, workstream_id);
    if (!locked) throw notFound('Workstream');
    if (locked.closing !== null) return undefined;
    const current = locked.workstream;
    return once(tx, request, moment, async () => {
      requireVersion(current, request.if_match);
      const next = decide(current, moment);
      if (next === current) return current;
      await updateWorkstream(tx, workspace_id, next);
      event = workstreamEvent(workspace_id, next, moment);
      await appendEvents(tx, [event]);
      return next;
    });
  });
  if (!outcome) {
    // An archive under way comes first; what it makes of the version decides on this change.
    await finishArchive(parts, request);
    return changeWorkstream(parts, request, decide);
  }
  if (event) await announce(event);
  return outcome;
};
