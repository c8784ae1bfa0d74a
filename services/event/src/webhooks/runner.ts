import { EventEmitter } from 'node:events';
import { logsGrew } from '@cardinal/contracts';
import { newContext, runInContext, sweeper } from '@cardinal/runtime';
import type { Connections } from '@cardinal/service';
import { LRUCache } from 'lru-cache';
import type { Tables } from '../context.ts';
import { findLogs } from '../log/append.ts';
import type { DeliveryContext } from './context.ts';
import { giveBack, type LeasedWebhook, leaseWebhooks, readWaiting } from './leases.ts';
import { type Caution, noCaution } from './pace.ts';
import { createReadings } from './reading.ts';
import { createSettle } from './settle.ts';
import { LeaseLost } from './state.ts';
import { runTurn, type Turn } from './turn.ts';

/** Webhooks that one process sends to at once, not counting those whose receivers hang; and with those. */
const [webhooksAtOnce, hangingAtOnce] = [500, 10_000];
/** Receivers that hang that are remembered. */
const remembered = 100_000;
/** Turns that begin in one look: more of them hold up whatever else the process does. */
const turnsALook = 64;
/** Pause between two looks at all webhooks, ms, and the least between two looks at those of logs that grew. */
const [lookMs, restMs] = [1_000, 20];
/** After a turn broke off its webhook is left alone for so long, and giving it back may take so long, ms. */
const [pauseMs, giveBackMs] = [2_000, 10_000];
/** The lease is twice as long as an attempt may take: so none has to be renewed but for an attempt that is under way. */
const attemptsALease = 2;

interface Options extends DeliveryContext, Pick<Connections<Tables>, 'bus'> {
  atOnce?: number;
  /** Called before anything is leased. */
  upToDate: () => Promise<unknown>;
}

/**
 * Sends events to webhooks until it is stopped, each webhook by one process at a time; any number of processes may. One whose
 * receiver hangs takes no place of the others.
 */
export const deliverEvents = ({ bus, upToDate, atOnce = webhooksAtOnce, ...context }: Options) => {
  const { db, logger, now, sender } = context;
  const stop = new AbortController();
  const turns = new Map<Promise<void>, LeasedWebhook>();
  const hanging = new Set<LeasedWebhook>();
  /** What is known of receivers that hang. Another process finds out by itself. */
  const cautions = new LRUCache<string, Caution>({ max: remembered });
  let grown = new Set<string>();
  /** Says to turns under way that the log of their workspace grew. */
  const growth = new EventEmitter().setMaxListeners(0);
  const [readings, settle] = [createReadings(context), createSettle(db)];
  const leaseMs = attemptsALease * sender.timeoutMs;
  let lookedAt = Number.NEGATIVE_INFINITY;
  /** The next look is at the webhooks of all workspaces: it is time to, or the look before left some. */
  let isWhole = true;

  const places = () => Math.min(atOnce - (turns.size - hanging.size), hangingAtOnce - turns.size);
  const isCrowded = () => places() <= 0;
  const brokeOff = async (webhook: LeasedWebhook, error: unknown): Promise<void> => {
    const { workspace_id, id, created_by } = webhook;
    const about = { workspace_id, webhook_id: id };
    const isLost = error instanceof LeaseLost;
    logger[isLost ? 'info' : 'warn']({ err: error, ...about }, 'the turn of a webhook broke off');
    if (isLost) return;
    const caller = { workspaceId: workspace_id, userId: created_by };
    const notBefore = new Date(now().getTime() + pauseMs);
    // A turn may be longer than what it was begun by gives its calls.
    await runInContext(newContext({ timeoutMs: giveBackMs, caller }), () => giveBack(db, webhook, notBefore)).catch(
      (err) => logger.info({ err, ...about }, 'the lease of a webhook was not given back; it ends by itself'),
    );
  };
  const begin = (webhook: LeasedWebhook, waiting: Turn['waiting']): void => {
    const { workspace_id } = webhook;
    const onHanging = (isHanging: boolean): void => {
      if (isHanging === hanging.has(webhook)) return;
      if (isHanging) hanging.add(webhook);
      else hanging.delete(webhook);
      if (isHanging && places() === 1) looks.nudge();
    };
    const receiver = `${webhook.id} ${webhook.url}`;
    const caution = cautions.get(receiver) ?? noCaution;
    const how = { waiting, leaseMs, caution, readings, settle, growth, stopping: stop.signal, isCrowded, onHanging };
    const turn = runTurn(context, webhook, how)
      .then((left) => void (left.hungInRow > 0 ? cautions.set(receiver, left) : cautions.delete(receiver)))
      .catch((error: unknown) => brokeOff(webhook, error))
      .then(() => {
        turns.delete(turn);
        hanging.delete(webhook);
        // It may have grown since it was read to its end, while others saw that it was leased.
        grown.add(workspace_id);
        looks.nudge();
      });
    turns.set(turn, webhook);
  };
  /** Whether logs grew without a word while turns are under way. */
  const lookAtLogs = async (): Promise<void> => {
    const ids = [...new Set([...turns.values()].map(({ workspace_id }) => workspace_id))];
    if (ids.length === 0) return;
    for (const [id, { last }] of await db.read((tx) => findLogs(tx, ids))) growth.emit(id, last);
  };
  const look = async (): Promise<void> => {
    await upToDate();
    const moment = now();
    if (moment.getTime() - lookedAt >= lookMs * 0.7) {
      await lookAtLogs();
      isWhole = true;
      lookedAt = moment.getTime();
    }
    const limit = Math.min(places(), turnsALook);
    if (limit <= 0 || stop.signal.aborted) return;
    const workspaces = isWhole ? undefined : [...grown];
    grown = new Set();
    if (workspaces?.length === 0) return;
    const webhooks = await leaseWebhooks(db, { now: moment, leaseMs, limit, workspaces });
    const waiting = readWaiting(db, webhooks);
    const ofOne = async (id: string) => (await waiting).get(id) ?? new Map();
    for (const webhook of webhooks) begin(webhook, ofOne(webhook.id));
    if (webhooks.length < limit) isWhole = false;
    else {
      for (const id of workspaces ?? []) grown.add(id);
      looks.nudge();
    }
  };
  const looks = sweeper({ name: 'webhooks', intervalMs: lookMs, restMs, logger, run: look });

  bus.onSignal(logsGrew, ({ logs }) => {
    for (const { workspace_id, last } of logs) {
      grown.add(workspace_id);
      growth.emit(workspace_id, last);
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
      await Promise.all(turns.keys());
    },
  };
};
