import type { EventEmitter } from 'node:events';
import { newContext, runInContext } from '@cardinal/runtime';
import { begin } from './begin.ts';
import type { DeliveryContext } from './context.ts';
import type { Flush } from './flush.ts';
import type { LeasedWebhook, WaitingLane } from './leases.ts';
import { next } from './machine.ts';
import type { Breaker } from './pace.ts';
import type { createReaders } from './reading.ts';
import { validSecrets } from './secrets.ts';
import { signedHeaders } from './signing.ts';
import type { Action, Outcome } from './state.ts';

/** Timeout of a read or a flush, ms. */
const callMs = 10_000;

/** What a delivery session gets from the process that runs it. */
export interface Session {
  /** The waiting lanes of the webhook, by lane key. */
  waiting: Promise<ReadonlyMap<string, WaitingLane>>;
  /** How long the lease lasts without a flush, ms. */
  leaseMs: number;
  /** How far the clock is ahead of that of the database, ms: tests let time pass. */
  passed: () => number;
  /** As the previous session of the webhook left it. */
  breaker: Breaker;
  readers: ReturnType<typeof createReaders>;
  flush: Flush;
  /** Emits the id of a workspace whose log grew, with the last sequence number. */
  growth: EventEmitter;
  /** Aborted when the process stops: the session begins nothing more. */
  stopping: AbortSignal;
  /** Whether other webhooks wait for a slot. */
  isCrowded: () => boolean;
  /** Called at each step with whether only attempts that hang are under way. */
  onHanging: (isHanging: boolean) => void;
}

/**
 * Runs a delivery session: sends the due events of one leased webhook until none is left, then releases the lease. Carries out
 * the actions that the step function of `machine.ts` decides on. Delivers at least once: the next session repeats attempts that
 * were not flushed.
 * @returns the state of the circuit breaker, for the next session
 * @throws the error of a read; that of a flush which could not be repeated under the lease; LeaseLost
 */
export const runSession = async (
  context: DeliveryContext,
  webhook: LeasedWebhook,
  session: Session,
): Promise<Breaker> => {
  const { sender, vault } = context;
  const { workspace_id, id: webhookId, url, created_by } = webhook;
  const caller = { workspaceId: workspace_id, userId: created_by };
  // A session may outlive the deadline of the context that began it.
  const withDeadline = <T>(work: () => Promise<T>): Promise<T> =>
    runInContext(newContext({ timeoutMs: callMs, caller }), work);

  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const { leaseMs, growth, stopping } = session;
  const elapsed = performance.now();
  // By the clock of the database: other processes act on the times that the session stores.
  const now = () => new Date(webhook.taken_at.getTime() + performance.now() - elapsed + session.passed());
  // Awaited before anything that may throw, or its rejection would be unhandled.
  const waiting = await session.waiting;
  const secrets = validSecrets(webhook, now()).map((sealed) => vault.open(sealed, webhookId));
  let state = begin(webhook, waiting, { leaseMs, elapsed, breaker: session.breaker });
  const read = session.readers(() => state.webhook);
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;

  const step = (outcome: Outcome): void => {
    if (isOver) return;
    try {
      const elapsed = performance.now();
      const moment = { now: now().getTime(), elapsed, isCrowded: session.isCrowded(), random: Math.random() };
      const { state: after, actions, wakeAt, isHanging } = next(state, outcome, moment);
      state = after;
      session.onHanging(isHanging);
      clearTimeout(timer);
      timer = setTimeout(step, Math.max(wakeAt - elapsed, 1), { kind: 'woken' } satisfies Outcome);
      for (const action of actions) carryOut(action);
    } catch (error) {
      end(error);
    }
  };
  const end = (error: unknown): void => {
    isOver = true;
    clearTimeout(timer);
    if (error === undefined) resolve();
    else reject(error);
  };
  const carryOut = (action: Action): void => {
    switch (action.kind) {
      case 'send': {
        const { lane, item, isReplay } = action;
        const { id, seq } = item.event;
        const headers = {
          ...signedHeaders({ id, at: now(), body: item.text }, secrets),
          ...(isReplay && { 'webhook-replay': 'true' }),
        };
        const isPatient = state.failuresInRow > 0;
        const sent = sender.send({ url, headers, body: item.text, webhookId, isPatient });
        void sent.then((attempt) => {
          context.measure(attempt);
          step({ kind: 'answered', lane, seq, attempt });
        });
        return;
      }
      case 'read':
        withDeadline(() => read(action.request)).then(
          (reply) => step({ kind: 'read', reply }),
          (error) => step({ kind: 'failed', what: 'read', error }),
        );
        return;
      case 'flush': {
        const begunAt = performance.now();
        withDeadline(() => session.flush(action.progress)).then(
          (result) => step({ kind: 'flushed', begunAt, result }),
          (error) => step({ kind: 'failed', what: 'flush', error }),
        );
        return;
      }
      case 'end':
        end(state.flushError ?? state.readError);
    }
  };

  const onGrowth = (last: number) => {
    if (last > state.last) step({ kind: 'grew', last });
  };
  const onStop = () => step({ kind: 'stop' });
  growth.on(workspace_id, onGrowth);
  stopping.addEventListener('abort', onStop);
  step({ kind: stopping.aborted ? 'stop' : 'woken' });
  await ended.finally(() => {
    growth.off(workspace_id, onGrowth);
    stopping.removeEventListener('abort', onStop);
  });
  const { hungInRow, isNewNext } = state;
  return { hungInRow, isNewNext };
};
