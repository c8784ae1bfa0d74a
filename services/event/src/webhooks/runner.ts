import { EventEmitter } from 'node:events';
import { logsGrew } from '@cardinal/contracts';
import { sweeper } from '@cardinal/runtime';
import type { Connections } from '@cardinal/service';
import type { Tables } from '../context.ts';
import type { DeliveryContext } from './context.ts';
import { type LeasedWebhook, leaseWebhooks } from './leases.ts';
import { LeaseLost } from './record.ts';
import { runTurn } from './turn.ts';

/** Webhooks that one process sends to at once. */
const webhooksAtOnce = 500;
/** Pause between two looks at all webhooks, ms, and the least between two looks at those of logs that grew. */
const [lookMs, restMs] = [1_000, 20];
/** Another process takes over what one had that vanished after so long, ms. */
const leaseMs = 10_000;

interface Options extends DeliveryContext, Pick<Connections<Tables>, 'bus'> {
  atOnce?: number;
  /** Called before anything is leased. */
  upToDate: () => Promise<unknown>;
}

/**
 * Sends events to webhooks until it is stopped, each webhook by one process at a time; any number of processes may. A slow
 * receiver takes one of many places, and ends its turn where others wait for theirs.
 */
export const deliverEvents = ({ bus, upToDate, atOnce = webhooksAtOnce, ...context }: Options) => {
  const { db, logger, now } = context;
  const stop = new AbortController();
  const turns = new Set<Promise<void>>();
  let grown = new Set<string>();
  /** Tells turns under way that the log of their workspace grew. */
  const growth = new EventEmitter().setMaxListeners(0);
  let lookedAt = Number.NEGATIVE_INFINITY;

  const isCrowded = () => turns.size >= atOnce;
  const begin = (webhook: LeasedWebhook): void => {
    const { workspace_id, id } = webhook;
    const turn = runTurn(context, webhook, { leaseMs, growth, stopping: stop.signal, isCrowded })
      .catch((error: unknown) => {
        const level = error instanceof LeaseLost ? 'info' : 'warn';
        logger[level]({ err: error, workspace_id, webhook_id: id }, 'the turn of a webhook broke off');
      })
      .then(() => {
        turns.delete(turn);
        // It may have grown since it was read to its end, while others saw that it was leased.
        grown.add(workspace_id);
        looks.nudge();
      });
    turns.add(turn);
  };
  const look = async (): Promise<void> => {
    await upToDate();
    const moment = now();
    const limit = atOnce - turns.size;
    if (limit <= 0 || stop.signal.aborted) return;
    const isWhole = moment.getTime() - lookedAt >= lookMs * 0.7;
    const workspaces = isWhole ? undefined : [...grown];
    if (isWhole) lookedAt = moment.getTime();
    grown = new Set();
    if (workspaces?.length === 0) return;
    for (const webhook of await leaseWebhooks(db, { now: moment, leaseMs, limit, workspaces })) begin(webhook);
  };
  const looks = sweeper({ name: 'webhooks', intervalMs: lookMs, restMs, logger, run: look });

  bus.onSignal(logsGrew, ({ logs }) => {
    for (const { workspace_id } of logs) {
      grown.add(workspace_id);
      growth.emit(workspace_id);
    }
    looks.nudge();
  });

  return {
    /** Something of a workspace's webhooks may be due now. */
    nudge(workspaceId: string): void {
      grown.add(workspaceId);
      looks.nudge();
    },
    /** Begins nothing any more, waits a little for answers, and gives back what it has. */
    async stop(): Promise<void> {
      stop.abort();
      await looks.stop();
      await Promise.all(turns);
    },
  };
};
