import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { type PingEvent, pingWebhook, requireFound } from '@cardinal/contracts';
import { runIdempotently } from '@cardinal/db';
import { enqueue, type Job, runJobs } from '@cardinal/jobs';
import type { Sweeper } from '@cardinal/runtime';
import { v7 } from 'uuid';
import { type WebhookContext, webhooks } from './context.ts';
import { insertDelivery } from './deliveries.ts';
import { requireCreator, toWebhook } from './ownership.ts';
import { validSecrets } from './secrets.ts';
import { signedHeaders } from './signing.ts';

const kind = 'ping-webhooks';
/** How long a process that stops waits for the answer of a receiver, ms. */
const stopMs = 3_000;

type PingContext = Omit<WebhookContext, 'deliveries' | 'pings'>;

/** Starts the job runner that sends pings. A ping is sent again only if its process ended before the answer came. */
export const sendPings = (context: PingContext): Sweeper =>
  runJobs(context, {
    kind,
    atOnce: 4,
    intervalMs: 1_000,
    leaseMs: 10_000,
    run: (job, stopping) => ping(context, job, stopping),
  });

/** Serves `pingWebhook`, which enqueues a ping. */
export const servePings = ({ bus, db, now, pings }: WebhookContext): void => {
  bus.serve(pingWebhook, async (request) => {
    const { workspace_id, user_id, webhook_id } = request;
    const outcome = await db.transaction(async (tx) => {
      const row = requireFound('Webhook', await webhooks.find(tx, workspace_id, webhook_id));
      return runIdempotently(tx, request, now(), async () => {
        requireCreator(row, request);
        const event_id = v7();
        await enqueue(tx, [{ workspace_id, kind, key: `${row.id}/${event_id}`, user_id, due_at: now() }], now());
        return { event_id };
      });
    });
    pings.nudge();
    return outcome;
  });
};

/**
 * Returns the result of an attempt.
 * @throws the reason of `stopping` if the process stops and no answer comes in time: another process then repeats the job
 */
const unlessStopped = async <T>(sent: Promise<T>, stopping: AbortSignal): Promise<T> => {
  const done = new AbortController();
  const { signal } = done;
  const giveUp = async (): Promise<never> => {
    if (!stopping.aborted) await once(stopping, 'abort', { signal });
    await pause(stopMs, undefined, { signal });
    throw stopping.reason;
  };
  return Promise.race([sent, giveUp()]).finally(() => done.abort());
};

const ping = async (
  { db, sender, vault, now, measure }: PingContext,
  job: Job,
  stopping: AbortSignal,
): Promise<undefined> => {
  const { workspace_id, user_id, created_at } = job;
  const [webhookId = '', id = ''] = job.key.split('/');
  const row = await db.read((tx) => webhooks.find(tx, workspace_id, webhookId));
  if (!row) return;
  const event: PingEvent = {
    id,
    seq: null,
    type: 'ping',
    at: created_at.toISOString(),
    actor: { user_id, api_key_id: null },
    request_id: id,
    subject: { type: 'webhook', id: row.id, version: row.version },
    card: null,
    board_id: null,
    changed: [],
    previous: {},
    data: toWebhook(row),
  };
  const body = JSON.stringify(event);
  const secrets = validSecrets(row, now()).map((sealed) => vault.open(sealed, row.id));
  const sent = sender.send({
    url: row.url,
    headers: signedHeaders({ id, at: now(), body }, secrets),
    body,
    webhookId: row.id,
  });
  const attempt = await unlessStopped(sent, stopping);
  measure(attempt);
  const { status, milliseconds, answer, error } = attempt;
  await insertDelivery(db, {
    workspace_id,
    webhook_id: row.id,
    event_id: id,
    type: 'ping',
    seq: null,
    attempt: 1,
    status,
    milliseconds,
    answer,
    error,
    next_try_at: null,
    at: now(),
  });
};
