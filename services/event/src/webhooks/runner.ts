import { EventEmitter } from 'node:events';
import { logsGrew } from '@cardinal/contracts';
import { newContext, runInContext, sweeper } from '@cardinal/runtime';
import type { Connections } from '@cardinal/service';
import { LRUCache } from 'lru-cache';
import type { Tables } from '../context.ts';
import { findLogs } from '../log/append.ts';
import type { DeliveryContext } from './context.ts';
import { createFlush } from './flush.ts';
import { giveBack, type LeasedWebhook, leaseWebhooks, readWaiting } from './leases.ts';
import { type Breaker, closedBreaker } from './pace.ts';
import { createReaders } from './reading.ts';
import { runSession, type Session } from './session.ts';
import { LeaseLost } from './state.ts';

/** Most sessions of one process at a time: those whose receivers do not hang, and all. */
const [activeSessions, allSessions] = [500, 10_000];
/** Most circuit breakers that are remembered. */
const maxBreakers = 100_000;
/** Most sessions begun by one poll. More of them would block other work of the process. */
const sessionsPerPoll = 64;
/** Interval of polls of all workspaces, ms, and shortest pause between polls of the workspaces whose logs grew. */
const [pollMs, restMs] = [1_000, 20];
/** Backoff of a webhook whose session failed, and timeout of the release of its lease, ms. */
const [backoffMs, giveBackMs] = [2_000, 10_000];
/** The lease lasts two attempts. So only a session that waits for an attempt has to renew it. */
const attemptsPerLease = 2;

interface Options extends DeliveryContext, Pick<Connections<Tables>, 'bus'> {
  /** Most concurrent sessions whose receivers do not hang. */
  atOnce?: number;
  passed?: Session['passed'];
  /** Applies the revocations of the register. Awaited before webhooks are leased. @returns the present epoch */
  upToDate: () => Promise<number>;
}

/**
 * Delivers events to webhooks until it is stopped. Any number of processes may do so; a lease gives each webhook to one of them.
 * A receiver that hangs occupies no slot of the others.
 * @returns `nudge`, to call when a webhook of a workspace may have become due, and `stop`
 */
export const deliverEvents = ({ bus, upToDate, passed = () => 0, atOnce = activeSessions, ...context }: Options) => {
  const { db, logger, sender } = context;
  const stop = new AbortController();
  const sessions = new Map<Promise<void>, LeasedWebhook>();
  const hanging = new Set<LeasedWebhook>();
  /** Open circuit breakers, by webhook and URL. They are local: each process detects a receiver that hangs by itself. */
  const breakers = new LRUCache<string, Breaker>({ max: maxBreakers });
  /** Workspaces that the next poll looks at. */
  let grown = new Set<string>();
  /** Notifies the running sessions of a workspace that its log grew. */
  const growth = new EventEmitter().setMaxListeners(0);
  const [readers, flush] = [createReaders(context), createFlush(context)];
  const leaseMs = attemptsPerLease * sender.timeoutMs;
  let polledAllAt = Number.NEGATIVE_INFINITY;
  /** Whether the next poll looks at all workspaces: it is time to, or the last such poll reached its limit. */
  let pollsAll = true;

  const freeSlots = () => Math.min(atOnce - (sessions.size - hanging.size), allSessions - sessions.size);
  const isCrowded = () => freeSlots() <= 0;
  const onBrokenOff = async (webhook: LeasedWebhook, error: unknown): Promise<void> => {
    const { workspace_id, id, created_by } = webhook;
    const about = { workspace_id, webhook_id: id };
    const isLost = error instanceof LeaseLost;
    logger[isLost ? 'info' : 'warn']({ err: error, ...about }, 'the delivery session of a webhook broke off');
    // After a rollback of the database its row may have the lease of this session again.
    const caller = { workspaceId: workspace_id, userId: created_by };
    // A session may outlive the deadline of the context that began it.
    await runInContext(newContext({ timeoutMs: giveBackMs, caller }), () => giveBack(db, webhook, backoffMs)).catch(
      (err) => logger.info({ err, ...about }, 'the lease of a webhook was not released; it will expire'),
    );
  };
  const begin = (webhook: LeasedWebhook, waiting: Session['waiting']): void => {
    const { workspace_id } = webhook;
    const onHanging = (isHanging: boolean): void => {
      if (isHanging === hanging.has(webhook)) return;
      if (isHanging) hanging.add(webhook);
      else hanging.delete(webhook);
      if (isHanging && freeSlots() === 1) polls.nudge();
    };
    const receiver = `${webhook.id} ${webhook.url}`;
    const breaker = breakers.get(receiver) ?? closedBreaker;
    const session = runSession(context, webhook, {
      waiting,
      leaseMs,
      passed,
      breaker,
      readers,
      flush,
      growth,
      stopping: stop.signal,
      isCrowded,
      onHanging,
    })
      .then((left) => void (left.hungInRow > 0 ? breakers.set(receiver, left) : breakers.delete(receiver)))
      .catch((error: unknown) => onBrokenOff(webhook, error))
      .then(() => {
        sessions.delete(session);
        hanging.delete(webhook);
        // The log may have grown after the session's last read, while polls skipped the leased webhook.
        grown.add(workspace_id);
        polls.nudge();
      });
    sessions.set(session, webhook);
  };
  /** Notifies running sessions of growth whose signal was lost. */
  const checkLogs = async (): Promise<void> => {
    const ids = [...new Set([...sessions.values()].map(({ workspace_id }) => workspace_id))];
    if (ids.length === 0) return;
    for (const [id, { last }] of await db.read((tx) => findLogs(tx, ids))) growth.emit(id, last);
  };
  const poll = async (): Promise<void> => {
    const epoch = await upToDate();
    const began = performance.now();
    if (began - polledAllAt >= pollMs * 0.7) {
      await checkLogs();
      pollsAll = true;
      polledAllAt = began;
    }
    const limit = Math.min(freeSlots(), sessionsPerPoll);
    if (limit <= 0 || stop.signal.aborted) return;
    const workspaces = pollsAll ? undefined : [...grown];
    grown = new Set();
    if (workspaces?.length === 0) return;
    const webhooks = await leaseWebhooks(db, { epoch, passed: passed(), leaseMs, limit, workspaces });
    const waiting = readWaiting(db, webhooks);
    const waitingOf = async (id: string) => (await waiting).get(id) ?? new Map();
    for (const webhook of webhooks) begin(webhook, waitingOf(webhook.id));
    if (webhooks.length < limit) pollsAll = false;
    else {
      for (const id of workspaces ?? []) grown.add(id);
      polls.nudge();
    }
  };
  const polls = sweeper({ name: 'webhooks', intervalMs: pollMs, restMs, logger, run: poll });

  bus.onSignal(logsGrew, ({ logs }) => {
    for (const { workspace_id, last } of logs) {
      grown.add(workspace_id);
      growth.emit(workspace_id, last);
    }
    polls.nudge();
  });

  return {
    /** Polls soon for webhooks of this workspace that are due. */
    nudge(workspaceId: string): void {
      grown.add(workspaceId);
      polls.nudge();
    },
    /** Begins no more attempts, waits briefly for those under way, and releases the leases. */
    async stop(): Promise<void> {
      stop.abort();
      await polls.stop();
      await Promise.all(sessions.keys());
    },
  };
};
