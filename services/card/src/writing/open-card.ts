import { type Caller, type Command, notFound, unavailable } from '@cardinal/contracts';
import { claimCommands, endCommands } from '@cardinal/db';
import { checkVersion, checkWritable } from '../domain/write-rules.ts';
import type { LockedCard } from '../store/cards.ts';
import type { Tx } from '../store/database.ts';
import type { Target } from './target.ts';

/**
 * What every write to a card, or to something on it, says of itself. Desired-state writes carry no command and no
 * `If-Match`: repeating them changes nothing (specification, "What the service does").
 */
export interface Write extends Caller {
  command?: Command;
  if_match?: number[];
}

/**
 * Begins a write: takes the card's row lock and checks, in the order of api-decisions: 404, replay, 403, 412, 409. The
 * command is claimed; end it in the same transaction (`endWrite`).
 * @param replayFirst what the command deleted is no longer there to be found
 * @returns what may be written now, or the stored answer to an earlier equal command
 * @throws CardinalError `not_found`, `idempotency_key_reused`, `insufficient_scope`, `precondition_failed`, `conflict`
 */
export const openCard = async <Found extends { card: LockedCard }>(
  tx: Tx,
  write: Write,
  target: Target<Found>,
  { replayFirst = false }: { replayFirst?: boolean } = {},
): Promise<Found | { replay: unknown }> => {
  const early = replayFirst ? await claim(tx, write) : undefined;
  if (early) return early;
  const found = await target.lock(tx);
  if (!found) throw notFound(target.what);
  const late = replayFirst ? undefined : await claim(tx, write);
  if (late) return late;

  target.permit?.(found);
  if (write.if_match) checkVersion(target.versionOf(found), write.if_match);
  checkWritable(found.card);
  return found;
};

/** The stored answer where the command ended before; undefined where it is ours now, or there is none. */
const claim = async (tx: Tx, { workspace_id: workspaceId, command }: Write) => {
  if (!command) return undefined;
  const [claimed] = await claimCommands(tx, [{ workspaceId, ...command }], new Date());
  if (!claimed || claimed instanceof Error) throw claimed;
  if (claimed.state === 'pending') throw unavailable('The same command is still under way');
  return claimed.state === 'ended' ? { replay: claimed.response } : undefined;
};

/** Stores the answer for a replay, if the write can be replayed. */
export const endWrite = async (tx: Tx, { workspace_id: workspaceId, command }: Write, response: unknown, now: Date) => {
  if (command) await endCommands(tx, [{ workspaceId, id: command.id, response }], now);
};
