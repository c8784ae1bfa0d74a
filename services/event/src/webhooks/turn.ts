import type { EventEmitter } from 'node:events';
import { newContext, runInContext } from '@cardinal/runtime';
import type { DeliveryContext } from './context.ts';
import type { LeasedWebhook, WaitingLane } from './leases.ts';
import { begin, next } from './machine.ts';
import type { Caution } from './pace.ts';
import type { createReadings } from './reading.ts';
import { validSecrets } from './secrets.ts';
import type { Settle } from './settle.ts';
import { signedHeaders } from './signing.ts';
import type { Action, Outcome } from './state.ts';

/** Time that what is asked of others gets, ms. */
const callsMs = 10_000;

export interface Turn {
  /** What waits for the webhook, by lane. */
  waiting: Promise<ReadonlyMap<string, WaitingLane>>;
  /** Others take it over when nothing is written down for so long, ms. */
  leaseMs: number;
  /** What the turn before left. */
  caution: Caution;
  readings: ReturnType<typeof createReadings>;
  settle: Settle;
  /** Emits the id of a workspace whose log grew, with its last number. */
  growth: EventEmitter;
  /** Says that the process stops: nothing is begun any more. */
  stopping: AbortSignal;
  /** Whether others wait for a place. */
  isCrowded: () => boolean;
  /** Told whether all that goes on is attempts that take long. */
  onHanging: (isHanging: boolean) => void;
}

/**
 * Sends what is due to one webhook that was leased, until nothing is, and ends the lease. At least once: what was sent and
 * not written down yet is sent again by whoever leases it next. This carries out what `machine.ts` decides.
 * @returns what it leaves to the next one
 * @throws whatever kept it from reading or writing
 */
export const runTurn = async (context: DeliveryContext, webhook: LeasedWebhook, turn: Turn): Promise<Caution> => {
  const { sender, vault, now } = context;
  const { workspace_id, id: webhookId, url, created_by } = webhook;
  const caller = { workspaceId: workspace_id, userId: created_by };
  // A turn may be longer than what it was begun by gives its calls.
  const inTime = <T>(work: () => Promise<T>): Promise<T> =>
    runInContext(newContext({ timeoutMs: callsMs, caller }), work);

  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const { leaseMs, growth, stopping } = turn;
  const elapsed = performance.now();
  // Before anything that may throw: nobody else takes its rejection.
  const waiting = await turn.waiting;
  const secrets = validSecrets(webhook, now()).map((sealed) => vault.open(sealed, webhookId));
  let state = begin(webhook, waiting, { leaseMs, elapsed, caution: turn.caution });
  const read = turn.readings(() => state.webhook);
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;

  const go = (outcome: Outcome): void => {
    if (isOver) return;
    try {
      const elapsed = performance.now();
      const moment = { now: now().getTime(), elapsed, isCrowded: turn.isCrowded(), random: Math.random() };
      const step = next(state, outcome, moment);
      state = step.state;
      turn.onHanging(step.isHanging);
      clearTimeout(timer);
      timer = setTimeout(go, Math.max(step.wakeAt - elapsed, 1), { kind: 'woken' } satisfies Outcome);
      for (const action of step.actions) carryOut(action);
    } catch (error) {
      end(error);
    }
  };
  const end = (problem: unknown): void => {
    isOver = true;
    clearTimeout(timer);
    if (problem === undefined) resolve();
    else reject(problem);
  };
  const carryOut = (action: Action): void => {
    switch (action.kind) {
      case 'send': {
        const { lane, item } = action;
        const { id, seq } = item.event;
        const headers = signedHeaders({ id, at: now(), body: item.text }, secrets);
        const isPatient = state.failuresInRow > 0;
        const sent = sender.send({ url, headers, body: item.text, webhookId, isPatient });
        void sent.then((attempt) => {
          context.measure(attempt);
          go({ kind: 'answered', lane, seq, attempt });
        });
        return;
      }
      case 'ask':
        inTime(() => read(action.asked)).then(
          (reply) => go({ kind: 'asked', reply }),
          (error) => go({ kind: 'failed', what: 'asking', error }),
        );
        return;
      case 'write': {
        const begunAt = performance.now();
        inTime(() => turn.settle(action.progress)).then(
          (settled) => go({ kind: 'written', begunAt, settled }),
          (error) => go({ kind: 'failed', what: 'writing', error }),
        );
        return;
      }
      case 'end':
        end(state.failure ?? state.problem);
    }
  };

  const onGrowth = (last: number) => {
    if (last > state.last) go({ kind: 'grew', last });
  };
  const onStop = () => go({ kind: 'stop' });
  growth.on(workspace_id, onGrowth);
  stopping.addEventListener('abort', onStop);
  go({ kind: stopping.aborted ? 'stop' : 'woken' });
  await ended.finally(() => {
    growth.off(workspace_id, onGrowth);
    stopping.removeEventListener('abort', onStop);
  });
  const { hungInRow, isNewNext } = state;
  return { hungInRow, isNewNext };
};
