import type { Bus } from '@cardinal/bus';
import { type Caller, CardinalError, conflict, getWorkstream } from '@cardinal/contracts';

/**
 * Asks the identifier service whether a board may name a workstream as its default. The answer is a value, not an
 * exception, because a replay and a stale version come before it in the order of checks.
 * @param id null or undefined where the board names none
 * @returns why not: 404 where it is unknown, 409 where it is archived, 503 where nobody answers; undefined where it may
 */
export async function refuseDefaultWorkstream(
  bus: Pick<Bus, 'call'>,
  { workspace_id, user_id }: Caller,
  id: string | null | undefined,
): Promise<CardinalError | undefined> {
  if (id === null || id === undefined) return undefined;
  try {
    const workstream = await bus.call(getWorkstream, { workspace_id, user_id, workstream_id: id });
    return workstream.archived_at === null ? undefined : conflict('The workstream is archived');
  } catch (error) {
    if (error instanceof CardinalError) return error;
    throw error;
  }
}
