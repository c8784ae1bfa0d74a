import type { EventEmitter } from 'node:events';
import { newContext, runInContext } from '@cardinal/runtime';
import type { DeliveryContext } from './context.ts';
import { createLanes, type Item } from './lanes.ts';
import { type LeasedWebhook, readWaiting } from './leases.ts';
import { createPace } from './pace.ts';
import { createReading } from './reading.ts';
import { createRecord } from './record.ts';
import { nextTry } from './schedule.ts';
import { validSecrets } from './secrets.ts';
import type { Attempt } from './sender.ts';
import { signedHeaders } from './signing.ts';

/** Events that are read at once; more are read when fewer than half of them are left. */
const pageSize = 400;
/** As many may wait for a webhook in the database before its cursor stops. */
const maxWaiting = 1_000;
/** A turn that is longer ends where others wait for theirs, ms. */
const turnMs = 5_000;
/** How long a process that stops waits for answers, ms. */
const stopMs = 3_000;
/** After something that it needs failed it is left alone for so long, ms. */
const pauseMs = 2_000;
/** Time that what is asked of others gets, ms. */
const callsMs = 10_000;
/** What was read longer ago is read again before it is sent, as who may see it may have changed, ms. */
const freshMs = 5_000;
/** Pause between two looks whether the log grew without a word, while something is under way, ms. */
const lookMs = 1_000;
/** Pause between two looks at what a turn has come to, ms. */
const tickMs = 100;

export interface Turn {
  /** Others take it over when nothing is written down for so long, ms. */
  leaseMs: number;
  /** Emits the id of a workspace whose log grew. */
  growth: EventEmitter;
  /** Says that the process stops: nothing is begun any more. */
  stopping: AbortSignal;
  /** Whether others wait for a place. */
  isCrowded: () => boolean;
}

/**
 * Sends what is due to one webhook that was leased, until nothing is, and ends the lease. At least once: what was sent and
 * not written down yet is sent again by whoever leases it next.
 * @throws whatever kept it from reading or writing
 */
export const runTurn = async (context: DeliveryContext, webhook: LeasedWebhook, turn: Turn): Promise<void> => {
  const { db, sender, vault, now } = context;
  const clock = () => now().getTime();
  const begunAt = clock();
  const lanes = createLanes();
  const pace = createPace(webhook.state === 'failing');
  const reading = createReading(context, webhook);
  const record = createRecord({ db, now, lanes, webhook, leaseMs: turn.leaseMs });
  const secrets = validSecrets(webhook, now()).map((sealed) => vault.open(sealed, webhook.id));

  let inFlight = 0;
  let stoppedAt: number | undefined;
  let problem: unknown;
  let lookedAt = begunAt;
  let wake = () => {};

  const isEnding = (): boolean =>
    problem !== undefined ||
    record.isOver() ||
    turn.stopping.aborted ||
    pace.notBefore() > clock() ||
    (turn.isCrowded() && clock() - begunAt > turnMs);

  const isFresh = ({ text, readAt = 0 }: Item, moment: number): boolean =>
    text !== undefined && moment - readAt < freshMs;
  const next = (moment: number): Item | undefined => {
    if (inFlight >= pace.atOnce() || isEnding()) return undefined;
    for (const item of lanes.due(moment)) if (isFresh(item, moment) && pace.mayTry(item, moment)) return item;
    return undefined;
  };
  const pump = (): void => {
    const moment = clock();
    for (let item = next(moment); item; item = next(moment)) {
      pace.began(item, moment);
      lanes.begin(item, moment);
      inFlight += 1;
      void attempt(item);
    }
  };
  const attempt = async (item: Item): Promise<void> => {
    const { id, text: body = '' } = item;
    const result = await sender.send(webhook.url, signedHeaders({ id, at: now(), body }, secrets), body);
    inFlight -= 1;
    context.measure(result);
    note(item, result);
    pump();
    wake();
  };
  const note = (item: Item, result: Attempt): void => {
    const moment = clock();
    item.attempts += 1;
    if (result.error === null) {
      pace.taken();
      record.taken(item, result);
      return;
    }
    const { status, retryAfterMs } = result;
    pace.failed(moment, retryAfterMs);
    item.firstFailedAt ??= moment;
    const { attempts, firstFailedAt } = item;
    const again = status === 410 ? undefined : nextTry({ attempts, firstFailedAt, now: moment, retryAfterMs });
    if (again === undefined) record.disable(status === 410 ? 'gone' : 'failures');
    record.failed(item, result, again);
  };

  /** Reads what waits and is due, with some of what is behind it. */
  const readDue = async (): Promise<void> => {
    const unread: Item[] = [];
    const moment = clock();
    for (const head of lanes.due(moment)) {
      if (unread.length >= pageSize / 4) break;
      if (isFresh(head, moment) || !pace.mayTry(head, moment)) continue;
      unread.push(
        ...lanes
          .behind(head)
          .filter((item) => !isFresh(item, moment))
          .slice(0, pageSize / 4),
      );
    }
    if (unread.length === 0) return;
    for (const [item, why] of await reading.again(unread)) record.drop(item, why);
  };
  const mayReadOn = (): boolean =>
    record.source().hasMore && lanes.size() - lanes.stored() <= pageSize / 2 && lanes.stored() < maxWaiting;
  /** Reads what follows the cursor, where there is room for it. */
  const readOn = async (): Promise<void> => {
    if (!mayReadOn()) return;
    const { after, until } = record.source();
    const page = await reading.page(after, until, pageSize);
    if (page.lost) {
      record.say(`events ${page.lost.join(' to ')} were not sent: they are not kept any more`);
    }
    lookedAt = clock();
    // What waits is sent anyway.
    for (const item of page.items) if (!lanes.has(item.seq)) lanes.add(item);
    record.read(page);
  };
  const read = async (): Promise<void> => {
    try {
      // A turn may be longer than what it was begun by gives its calls.
      await runInContext(newContext({ timeoutMs: callsMs }), async () => {
        await readDue();
        await readOn();
      });
    } catch (error) {
      problem = error;
    }
  };

  /** Before when nothing is to be sent. */
  const notBefore = (): Date | null => {
    const isHeldUp = !isEnding() && record.hasMore();
    const times = [pace.nextNewAt(), lanes.nextStoredDueAt()].filter((time) => isHeldUp && time !== undefined);
    const soonest = problem === undefined ? Math.min(...(times as number[])) : clock() + pauseMs;
    const latest = Math.max(...[soonest, pace.notBefore()].filter(Number.isFinite));
    return Number.isFinite(latest) ? new Date(latest) : null;
  };

  for (const item of await readWaiting(db, webhook)) lanes.add(item);
  const onGrowth = () => {
    record.lookAgain();
    wake();
  };
  turn.growth.on(webhook.workspace_id, onGrowth);
  // Beside what is read, whose answers may take as long as the lease lasts.
  const ticks = setInterval(() => {
    record.writeInTime(wake);
    wake();
  }, tickMs);
  for (;;) {
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    if (clock() - lookedAt > lookMs) record.lookAgain();
    if (!isEnding()) await read();
    pump();
    if (turn.stopping.aborted) stoppedAt ??= clock();
    const isGivenUp = stoppedAt !== undefined && clock() - stoppedAt > stopMs;
    if (inFlight === 0 || isGivenUp) {
      // Much may not be for this webhook; and when what was sent again is done, there is what is new.
      if (!isEnding() && (mayReadOn() || (await record.endReplay()))) continue;
      break;
    }
    await woken;
  }
  clearInterval(ticks);
  turn.growth.off(webhook.workspace_id, onGrowth);
  await record.end(notBefore);
  if (problem !== undefined) throw problem;
};
