import { type Command, requireFound, requireVersion, unavailable } from '@cardinal/contracts';
import {
  answerCommand,
  appendChange,
  type ChangeDetails,
  type Outcome,
  replayOf,
  runIdempotently,
  type Transaction,
} from '@cardinal/db';
import type { Connections } from './service.ts';

/**
 * The preconditions of a write. Writes of a desired state have neither command nor `If-Match`: repeating them changes
 * nothing (CONTRACT 3.1).
 */
export interface WriteRequest {
  workspace_id: string;
  command?: Command;
  if_match?: number[];
}

/** The resource that a write addresses. */
export interface Target<Tables, Found> {
  /** Its name in a 404. */
  what: string;
  /**
   * Locks it until the end of the transaction and reads it; undefined where it does not exist or the caller does not
   * see it.
   */
  lock: (tx: Transaction<Tables>) => Promise<Found | undefined>;
  /** Throws where the caller sees it and may not write it. */
  permit?: (tx: Transaction<Tables>, found: Found) => Promise<void>;
  /** Throws where its state allows no write. */
  check?: (found: Found) => void;
  /** The card or board that it is a part of, for a 412 (see `preconditionFailed`). */
  within?: (found: Found) => string;
}

interface WriteSteps<Tables, Found, Resource, Held> extends Target<Tables, Found> {
  /** Takes locks that precede the target's in the lock order. */
  lockBefore?: (tx: Transaction<Tables>) => Promise<Held>;
  /** Set for a DELETE: a repetition does not find what it deleted, so it replays before the lookup. */
  deletes?: boolean;
  /**
   * Writes under the locks. Throws to refuse, or `Outdated` to be retried.
   * @param held what `lockBefore` returned
   * @returns the answer
   */
  write: (tx: Transaction<Tables>, found: Found, now: Date, held: Held) => Promise<Resource>;
  /** The event for followers (ARCHITECTURE, "Feeds"); undefined where nothing changed that clients read. */
  event: (found: Found, resource: Resource, now: Date, held: Held) => ChangeDetails | undefined;
}

/**
 * Runs a write in one transaction with lock, replay, precondition and stored answer. The order of checks is 404,
 * replay, 403, 412, then `check` and `write` (CONTRACT 1.5).
 * @throws CardinalError `not_found`, `idempotency_key_reused`, `insufficient_scope`, `precondition_failed`
 */
export const runWrite = <Tables, Found extends { version: number }, Resource, Held>(
  { db, feed, now: clock }: Pick<Connections<Tables>, 'db' | 'feed' | 'now'>,
  request: WriteRequest,
  {
    what,
    lock,
    permit,
    check,
    within,
    lockBefore,
    deletes = false,
    write,
    event,
  }: WriteSteps<Tables, Found, Resource, Held>,
): Promise<Outcome<Resource>> =>
  untilUpToDate(async () => {
    let hasInternal = false;
    const outcome = await db.transaction(async (tx) => {
      const held = await lockBefore?.(tx);
      const replay = () => replayOf<Resource>(tx, request, clock());
      const early = deletes ? await replay() : undefined;
      if (early) return early;
      const found = requireFound(what, await lock(tx));
      const late = deletes ? undefined : await replay();
      if (late) return late;
      await permit?.(tx, found);
      if (request.if_match) requireVersion(found, request.if_match, within?.(found));
      check?.(found);
      // After the lock: otherwise a later version could have an earlier time.
      const now = clock();
      const resource = await write(tx, found, now, held as Held);
      const details = event(found, resource, now, held as Held);
      const answer = await answerCommand(tx, request, resource, now);
      if (details) await appendChange(tx, request.workspace_id, details);
      hasInternal = details?.internal !== undefined;
      return answer;
    });
    if (!outcome.replayed) feed.nudge(request.workspace_id);
    if (hasInternal) feed.nudgeProjections(request.workspace_id);
    return outcome;
  });

/** Runs a write that deletes its target (see {@link runWrite}). @returns the answer of a DELETE */
export const runDelete = async <Tables, Found extends { version: number }, Held>(
  connections: Pick<Connections<Tables>, 'db' | 'feed' | 'now'>,
  request: WriteRequest,
  { write, event, ...steps }: Omit<WriteSteps<Tables, Found, void, Held>, 'deletes'>,
): Promise<{ deleted: true }> => {
  const deleted = { deleted: true } as const;
  await runWrite(connections, request, {
    ...steps,
    deletes: true,
    write: (...args) => write(...args).then(() => deleted),
    event: (found, _deleted, ...args) => event(found, undefined, ...args),
  });
  return deleted;
};

/**
 * Creates something that needs no lock on a parent, once per command.
 * @param event makes the event for followers from what `write` returned
 */
export const runCreate = async <Tables, Resource>(
  { db, feed, now: clock }: Pick<Connections<Tables>, 'db' | 'feed' | 'now'>,
  request: WriteRequest,
  write: (tx: Transaction<Tables>) => Promise<Resource>,
  event: (resource: Resource, now: Date) => ChangeDetails,
): Promise<Outcome<Resource>> => {
  let hasInternal = false;
  const outcome = await db.transaction(async (tx) => {
    const now = clock();
    const made = await runIdempotently(tx, request, now, () => write(tx));
    if (made.replayed) return made;
    const details = event(made.resource, now);
    await appendChange(tx, request.workspace_id, details);
    hasInternal = details.internal !== undefined;
    return made;
  });
  if (!outcome.replayed) feed.nudge(request.workspace_id);
  if (hasInternal) feed.nudgeProjections(request.workspace_id);
  return outcome;
};

/** Data that a write read before it took its locks has changed. Its transaction is rolled back and retried. */
export class Outdated extends Error {
  override readonly name = 'Outdated';
  readonly prepare: () => Promise<unknown>;
  /** @param prepare runs before the retry */
  constructor(prepare: () => Promise<unknown> = async () => {}) {
    super();
    this.prepare = prepare;
  }
}

/** Every retry means that another write succeeded, so all of them together make progress. */
const maxTries = 50;

/**
 * Runs a transaction until it does not throw `Outdated`. @throws CardinalError `unavailable` after {@link maxTries}
 * tries
 */
export const untilUpToDate = async <Result>(attempt: () => Promise<Result>): Promise<Result> => {
  for (let tries = 0; tries < maxTries; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Outdated)) throw error;
      await error.prepare();
    }
  }
  throw unavailable('It changes all the time');
};
