import type { Database } from '@cardinal/db';
import type { Tables } from '../context.ts';
import type { Item, Lanes } from './lanes.ts';
import { type DeliveryRow, type LeasedWebhook, type StateChange, settle } from './leases.ts';
import type { Page } from './reading.ts';
import type { Attempt } from './sender.ts';

/** Pause between two writes, ms, and the longest without one: each renews the lease. */
const [writeMs, renewMs] = [200, 1_000];
/** What takes longer is let pass by the cursor, ms. */
const slowMs = 1_000;
/** After so many attempts of one event the webhook is called failing. */
const failingAttempts = 3;

/** The lease is over, or the webhook gone: somebody else goes on. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

interface RecordOptions {
  db: Database<Tables>;
  now: () => Date;
  lanes: Lanes;
  /** As it was leased. */
  webhook: LeasedWebhook;
  leaseMs: number;
}

const dateOf = (ms: number | undefined) => (ms === undefined ? null : new Date(ms));

/** What becomes of events in a turn, how far the webhook is, and what it comes to: gathered, and written down now and then. */
export const createRecord = ({ db, now, lanes, webhook: leased, leaseMs }: RecordOptions) => {
  const webhook = { ...leased };
  let deliveries: DeliveryRow[] = [];
  let settled: number[] = [];
  const failing = new Set<Item>();
  let disabling: 'gone' | 'failures' | undefined;
  let isEdited = false;

  /** First comes what is sent again, then what is new. */
  let isReplay = webhook.replay_until !== null;
  let through = isReplay ? (webhook.replay_position ?? 0) : webhook.position;
  let hasMore = true;
  const until = () => (isReplay ? (webhook.replay_until ?? 0) : undefined);

  const add = (item: Item | undefined, row: Partial<DeliveryRow>): void => {
    const about = { event_id: item?.id ?? null, type: item?.type ?? null, seq: item?.seq ?? null };
    const nothing = { attempt: null, status: null, milliseconds: null, answer: null, error: null, next_try_at: null };
    deliveries.push({ ...about, ...nothing, ...row, at: now() });
  };
  const remove = (item: Item): void => {
    if (item.isStored) settled.push(item.seq);
    failing.delete(item);
    lanes.remove(item);
  };

  const stateNow = (): StateChange => {
    const since = webhook.failing_since;
    if (disabling) return { state: 'disabled', disabled_reason: disabling, failing_since: since ?? now() };
    const isFailing = [...lanes.values()].some(({ attempts }) => attempts >= failingAttempts);
    if (isFailing && webhook.state === 'active') return { state: 'failing', failing_since: now() };
    if (!isFailing && webhook.state === 'failing') return { state: 'active', failing_since: null };
    return {};
  };
  const isReplayOver = (): boolean => isReplay && !hasMore && lanes.cursor(through) >= (webhook.replay_until ?? 0);

  let writtenAt = now().getTime();
  /** When the lease was last written down, by a clock that nobody sets. */
  let heldSince = performance.now();
  const write = async (slowSince: number, notBefore?: () => Date | null): Promise<void> => {
    const moment = now();
    writtenAt = moment.getTime();
    const unstored = [...lanes.unstored(slowSince)];
    for (const item of unstored) lanes.markStored(item);
    const cursor = lanes.cursor(through);
    const endsReplay = isReplayOver();
    const change = { ...stateNow(), ...(endsReplay && { endsReplay }) };
    const changes = Object.keys(change).length > 0;
    const progress = {
      ...{ deliveries, settled, waiting: [...new Set([...unstored, ...failing])] },
      ...(isReplay ? { replayPosition: cursor } : { position: cursor }),
      ...(changes && { change }),
      leaseMs,
      retryAt: dateOf(lanes.nextStoredDueAt()),
      ...(notBefore && { rest: { notBefore: notBefore() } }),
    };
    [deliveries, settled] = [[], []];
    failing.clear();
    const begunAt = performance.now();
    const written = await settle(db, webhook, progress, moment);
    if (!written) throw new LeaseLost('the webhook is not ours any more');
    heldSince = begunAt;
    if (!written.unchanged) {
      // The version stays as it was read: so no later write of this turn undoes what somebody asked for.
      isEdited = true;
      return;
    }
    webhook.version = written.version;
    if (change.state === 'active' || change.state === 'failing') webhook.state = change.state;
    if (change.failing_since !== undefined) webhook.failing_since = change.failing_since;
    if (endsReplay) [isReplay, hasMore, through] = [false, true, webhook.position];
  };

  let writing: Promise<void> | undefined;
  let failure: unknown;
  /** Writes, one write at a time; what keeps it from that ends the turn. */
  const writeDown = (...how: Parameters<typeof write>): Promise<void> => {
    writing = write(...how)
      .catch((error: unknown) => {
        failure = error;
      })
      .then(() => {
        writing = undefined;
      });
    return writing;
  };
  /** Others may have taken it: this process stood still, or the database does not answer. */
  const mayBeLost = () => performance.now() - heldSince >= leaseMs;

  return {
    taken(item: Item, { status, milliseconds, answer }: Attempt): void {
      add(item, { attempt: item.attempts, status, milliseconds, answer });
      remove(item);
    },
    /** @param again when it is tried again, ms since 1970; undefined where it waits for somebody to enable the webhook */
    failed(item: Item, { status, milliseconds, answer, error }: Attempt, again: number | undefined): void {
      const next_try_at = dateOf(again);
      add(item, { attempt: item.attempts, status, milliseconds, answer, error, next_try_at });
      // Read anew when it is due, as who may see it may have changed.
      item.text = undefined;
      lanes.putBack(item, again ?? now().getTime());
      failing.add(item);
    },
    /** It is not to be sent any more. */
    drop(item: Item, why: string): void {
      add(item, { error: why });
      remove(item);
    },
    /** Says something of the webhook itself. */
    say: (error: string): void => add(undefined, { error }),
    disable(why: 'gone' | 'failures'): void {
      disabling ??= why;
    },
    /** Nothing more is to be begun: it is disabled, was changed by somebody, cannot be written down, or may be another's. */
    isOver: (): boolean => disabling !== undefined || isEdited || failure !== undefined || mayBeLost(),

    /** Where reading goes on. */
    source: () => ({ after: through, until: until(), hasMore }),
    read(page: Page): void {
      through = page.through;
      hasMore = page.hasMore;
    },
    /** The log may have grown since it was read to its end. */
    lookAgain(): void {
      hasMore ||= !isReplay;
    },
    /** Whether there is something that was not sent and does not wait for its time. */
    hasMore: (): boolean => hasMore || lanes.cursor(through) < through,

    /** Writes down what there is, beside what goes on, where it is time to. */
    writeInTime(done: () => void): void {
      // What could not be written down is thought to be stored: the cursor would pass it.
      if (writing || failure !== undefined) return;
      const age = now().getTime() - writtenAt;
      if (age < (deliveries.length + settled.length > 0 ? writeMs : renewMs)) return;
      void writeDown(now().getTime() - slowMs).then(done);
    },
    /** Ends a replay that is over. @returns whether it did, and something else is to be read */
    async endReplay(): Promise<boolean> {
      await writing;
      if (failure !== undefined || !isReplayOver()) return false;
      await writeDown(Number.NEGATIVE_INFINITY);
      return failure === undefined && !isEdited;
    },
    /**
     * Writes down what is left and ends the lease.
     * @param notBefore before when nothing is to be sent
     * @throws what kept it from being written
     */
    async end(notBefore: () => Date | null): Promise<void> {
      await writing;
      if (failure === undefined) await writeDown(Number.NEGATIVE_INFINITY, notBefore);
      if (failure !== undefined) throw failure;
    },
  };
};
