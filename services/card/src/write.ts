import { type Caller, type Command, requireFound, requireVersion, unavailable } from '@cardinal/contracts';
import { answerCommand, type Outcome, replayOf } from '@cardinal/db';
import type { ServiceContext } from './context.ts';
import type { Tx } from './store/database.ts';

/**
 * What a write says of itself. Desired-state writes carry no command and no `If-Match`: repeating them changes nothing
 * (specification, "What the service does").
 */
export interface WriteRequest extends Caller {
  command?: Command;
  if_match?: number[];
}

/** What a write addresses. */
export interface Target<Found> {
  /** What a 404 calls it. */
  what: string;
  /** Locks it to the end of the transaction, then reads it; undefined where the caller does not see it, or nobody does. */
  lock: (tx: Tx) => Promise<Found | undefined>;
  /** Refuses by throwing where the caller sees it and may not write it. */
  permit?: (tx: Tx, found: Found) => Promise<void>;
}

/** One write, as {@link runWrite} makes it. */
export interface WriteSteps<Found, Resource, Held = unknown> extends Target<Found> {
  /** Takes the locks that come before the target's in the order of all locks (README). */
  lockBefore?: (tx: Tx) => Promise<Held>;
  /** Set for a DELETE: what it deleted is no longer there to be found when it is repeated. */
  deletes?: boolean;
  /**
   * Writes under the locks and answers; throws to refuse, or `Outdated` to start anew.
   * @param held what `lockBefore` answered
   */
  write: (tx: Tx, found: Found, now: Date, held: Held) => Promise<Resource>;
}

/**
 * Writes in one transaction with all that belongs to it: lock, replay, precondition, the stored answer. The order of the
 * checks is 404, replay, 403, 412, and then those of `write` (api-decisions, "Requests, responses, errors").
 * @throws CardinalError `not_found`, `idempotency_key_reused`, `insufficient_scope`, `precondition_failed`
 */
export const runWrite = <Found extends { version: number }, Resource, Held>(
  { db, relay }: Pick<ServiceContext, 'db' | 'relay'>,
  request: WriteRequest,
  { what, lock, permit, lockBefore, deletes = false, write }: WriteSteps<Found, Resource, Held>,
): Promise<Outcome<Resource>> =>
  untilUpToDate(async () => {
    const outcome = await db.transaction(async (tx) => {
      const held = await lockBefore?.(tx);
      const replay = () => replayOf<Resource>(tx, request, new Date());
      const early = deletes ? await replay() : undefined;
      if (early) return early;
      const found = requireFound(what, await lock(tx));
      const late = deletes ? undefined : await replay();
      if (late) return late;
      await permit?.(tx, found);
      if (request.if_match) requireVersion(found, request.if_match);
      // After the lock, so that a later version is never of an earlier time.
      const now = new Date();
      return answerCommand(tx, request, await write(tx, found, now, held as Held), now);
    });
    if (!outcome.replayed) relay.nudge();
    return outcome;
  });

/** What a write looked at before it took its locks has changed since. Its transaction rolls back, and it starts anew. */
export class Outdated extends Error {
  override readonly name = 'Outdated';
}

/** Each time somebody else came first, so that all together go on. */
const mostTries = 50;

const untilUpToDate = async <Result>(attempt: () => Promise<Result>): Promise<Result> => {
  for (let tries = 0; tries < mostTries; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Outdated)) throw error;
    }
  }
  throw unavailable('The card changes all the time');
};
