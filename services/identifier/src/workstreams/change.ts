import { type Command, type EventOf, notFound, type Workstream, type workstreamChanged } from '@cardinal/contracts';
import { appendEvents } from '@cardinal/db';
import { requireVersion } from '../domain/workstream.ts';
import type { Parts } from '../parts.ts';
import { lockWorkstream } from '../store/lock-workstream.ts';
import { updateWorkstream } from '../store/update-workstream.ts';
import { workstreamEvent } from './event.ts';
import { type Outcome, once } from './once.ts';

interface VersionedRequest {
  workspace_id: string;
  workstream_id: string;
  command: Command;
  if_match: number[];
}

/**
 * Changes a workstream under its lock. The order of the checks is 404, replay, 412, and then those of `decide`
 * (api-decisions, "Requests, responses, errors").
 * @param decide the next state, or the present one itself where nothing changes; then version and time stay and no event
 *   is sent, yet the command is remembered
 */
export const changeWorkstream = async (
  { db, announce, now }: Pick<Parts, 'db' | 'announce' | 'now'>,
  request: VersionedRequest,
  decide: (current: Workstream, now: Date) => Workstream,
): Promise<Outcome> => {
  const moment = now();
  const { workspace_id, workstream_id } = request;
  let event: EventOf<typeof workstreamChanged> | undefined;
  const outcome = await db.transaction(async (tx) => {
    const current = await lockWorkstream(tx, workspace_id, workstream_id);
    if (!current) throw notFound('Workstream');
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
  if (event) await announce(event);
  return outcome;
};
