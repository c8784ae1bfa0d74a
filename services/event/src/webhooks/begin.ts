import type { LeasedWebhook, WaitingLane } from './leases.ts';
import { type Breaker, closedBreaker, failureLimit } from './pace.ts';
import type { State } from './state.ts';

/**
 * Returns the first state of a delivery session.
 * @param waiting the waiting lanes of the webhook, by lane key
 * @param options.elapsed monotonic clock, ms
 * @param options.breaker as the previous session of this process left it
 */
export const begin = (
  webhook: LeasedWebhook,
  waiting: ReadonlyMap<string, WaitingLane>,
  { leaseMs, elapsed, breaker = closedBreaker }: { leaseMs: number; elapsed: number; breaker?: Breaker },
): State => {
  const isReplay = webhook.replay_until !== null;
  const through = isReplay ? (webhook.replay_position ?? 0) : webhook.position;
  const lanes = new Map([...waiting].map(([key, lane]) => [key, { ...lane, items: [], sentAt: undefined }] as const));
  return {
    webhook,
    leaseMs,
    lanes,
    isReplay,
    through,
    last: webhook.last,
    begunAt: elapsed,
    failuresInRow: webhook.state === 'failing' ? failureLimit : 0,
    hungInRow: breaker.hungInRow,
    isNewNext: breaker.isNewNext,
    attemptedAt: 0,
    attemptedNewAt: 0,
    random: 0,
    retryAfter: undefined,
    deliveredAt: Number.NEGATIVE_INFINITY,
    hasDelivered: false,
    deliveredThrough: 0,
    deliveries: [],
    changedLanes: new Set(),
    flushedThrough: through,
    flushedAt: elapsed,
    leaseConfirmedAt: elapsed,
    isReading: false,
    flushing: undefined,
    disabling: undefined,
    isStale: false,
    stoppedAt: undefined,
    readError: undefined,
    flushError: undefined,
    isEnding: false,
  };
};
