import { type Caller, type Command, notFound } from '@cardinal/contracts';
import { claimCommands } from '@cardinal/db';
import { Busy } from '../allocation/busy.ts';
import { checkVersion, checkWritable } from '../domain/write-rules.ts';
import { type LockedCard, lockCards } from '../store/cards.ts';
import type { Tx } from '../store/database.ts';
import { findOperation } from '../store/operations/find-operation.ts';

/** What every write to one card says of itself. */
export interface CardWrite extends Caller {
  command: Command;
  card_id: string;
  if_match: number[];
}

/** A card that may be written now, or the stored answer to an earlier equal command. */
export type OpenedCard = { card: LockedCard } | { replay: unknown };

/**
 * Begins a write to one card: takes its row lock and checks, in the order of api-decisions: 404, replay, 412, 409. The
 * command is claimed; end it in the same transaction, or store an operation that will.
 * @param replayFirst a card that the command deleted is no longer there to be found
 * @throws CardinalError `not_found`, `idempotency_key_reused`, `precondition_failed`, `conflict`
 * @throws Busy where an operation is pending on the card, or the same command is under way
 */
export const openCard = async (
  tx: Tx,
  write: CardWrite,
  now: Date,
  { replayFirst = false }: { replayFirst?: boolean } = {},
): Promise<OpenedCard> => {
  const early = replayFirst ? await claim(tx, write, now) : undefined;
  if (early) return early;
  const [card] = await lockCards(tx, write.workspace_id, [write.card_id]);
  if (!card) throw notFound('Card');
  const late = replayFirst ? undefined : await claim(tx, write, now);
  if (late) return late;

  // A statement of its own, after the lock: only then it sees what the lock's last holder prepared.
  const key = { pendingOnCard: card.id };
  if (await findOperation(tx, write.workspace_id, key)) throw new Busy({ workspaceId: write.workspace_id, key });
  checkVersion(card.version, write.if_match);
  checkWritable(card);
  return { card };
};

/** The stored answer where the command ended before; undefined where it is ours now. */
const claim = async (tx: Tx, { workspace_id: workspaceId, command }: CardWrite, now: Date) => {
  const [claimed] = await claimCommands(tx, [{ workspaceId, ...command }], now);
  if (!claimed || claimed instanceof Error) throw claimed;
  if (claimed.state === 'pending') throw new Busy({ workspaceId, key: { commandId: command.id } });
  return claimed.state === 'ended' ? { replay: claimed.response } : undefined;
};
