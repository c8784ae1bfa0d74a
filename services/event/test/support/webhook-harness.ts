import {
  type Caller,
  createWebhook,
  type EventType,
  getWebhook,
  listDeliveries,
  logsGrew,
  patchWebhook,
  replayWebhook,
} from '@cardinal/contracts';
import { type Database, openDatabase } from '@cardinal/db';
import { createLogger } from '@cardinal/runtime';
import type { Connections } from '@cardinal/service';
import { aCaller, aCommand, atEndOfFile, eventually, testSurroundings } from '@cardinal/testkit';
import { testInstance } from '@cardinal/testkit/instance';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { type Config, configSchema } from '../../src/config.ts';
import type { Tables } from '../../src/context.ts';
import { createRollbacks } from '../../src/fill/rollbacks.ts';
import { append, lockLogs } from '../../src/log/append.ts';
import { createDays } from '../../src/log/days.ts';
import { startWebhooks } from '../../src/webhooks/service.ts';
import { startCardDouble } from './card-double.ts';

type Tuning = Parameters<typeof startWebhooks>[2];

/** An event that a test appends to a log, with defaults for what the test leaves out. */
export interface Logged {
  type?: EventType;
  card?: string;
  board?: string | null;
  other?: string;
  title?: string;
  changed?: string[];
  previous?: object;
}

/**
 * Starts an instance of the event service with nothing but its webhooks, on a real database and bus, and a double of the card
 * service that answers which boards a user sees.
 * @param options settings of every instance
 */
export const startHarness = async (options: Partial<Config> = {}, tuning: Tuning = {}) => {
  /** Log lines of sessions that broke off, as happens on a busy machine. Their attempts are repeated. */
  const brokenOff: string[] = [];
  const write = (line: string) =>
    void (line.includes('the delivery session of a webhook broke off') && brokenOff.push(line));
  const logger = createLogger({ service: 'event', level: 'info', destination: { write } });
  const { urls, nats, natsUrl, bus } = await testSurroundings({ service: 'event' });
  const { seenBy, answers, questions } = await startCardDouble(natsUrl);
  const db = openDatabase<Tables>({ url: urls.event, name: 'test', poolSize: 3, connectTimeoutMs: 60_000 });
  await createDays(db).ahead(new Date());
  const clock = { ahead: 0, wrong: 0 };

  /** Starts one more instance of the service. */
  const start = (more: Partial<Config> = {}) => {
    const read = configSchema.parse({
      DATABASE_URL: urls.event,
      NATS_URL: natsUrl,
      WEBHOOK_KEY: 'k'.repeat(32),
      WEBHOOK_HTTP: 'true',
      WEBHOOK_NETWORKS: '127.0.0.0/8',
    });
    const make = (own: Connections<Tables>) => {
      const connections = { ...own, now: () => new Date(Date.now() + clock.ahead + clock.wrong) };
      const base = { ...connections, lineage: createRollbacks(connections) };
      const { context, parts, retention } = startWebhooks(
        base,
        { ...read, ...options, ...more },
        {
          passed: () => clock.ahead,
          ...tuning,
        },
      );
      return { context, parts, retention };
    };
    return testInstance('event', { databaseUrl: urls.event, natsUrl }, make, { logger });
  };
  const instance = await start();
  atEndOfFile(() => db.close());

  const logQuietly = (workspaceId: string, events: readonly Logged[]) => appendTo(db, workspaceId, events);
  const log = async (workspaceId: string, events: readonly Logged[]): Promise<number> => {
    const last = await logQuietly(workspaceId, events);
    bus.signal(logsGrew, { logs: [{ workspace_id: workspaceId, last }] });
    return last;
  };
  const hook = (by: Caller, url: string, more: object = {}) =>
    bus.call(createWebhook, { ...by, command: aCommand(), body: { url, ...more } }).then(({ resource }) => resource);
  const deliveries = async (by: Caller, webhook_id: string) =>
    (await bus.call(listDeliveries, { ...by, webhook_id, page: { limit: 100 } })).items;
  return {
    bus,
    db,
    /** How much time has passed besides for instances, and how wrong their own clocks are, ms. */
    clock,
    instance,
    start,
    urls,
    nats,
    questions,
    brokenOff,
    /** Hides the board from everybody. */
    hide: (board: string) => void seenBy.set(board, []),
    /** Shows the board to these users only. */
    show: (board: string, ...to: Caller[]) =>
      void seenBy.set(
        board,
        to.map(({ user_id }) => user_id),
      ),
    /** Delays answers of the card service until `over`. */
    silence: (over: Promise<void>): void => {
      answers.after = over;
    },
    /** Appends to a log without a signal. @returns the last sequence number */
    logQuietly,
    /** Appends to a log and signals it. @returns the last sequence number */
    log,
    /** Creates a webhook. */
    hook,
    /** Returns the latest deliveries, latest first. */
    deliveries,
    /** Creates a webhook in a workspace of its own. */
    hooked: async (receiver: { url: string }) => {
      const by = aCaller();
      const { id, secret } = await hook(by, receiver.url);
      return { by, id, secret, log: (events: readonly Logged[]) => log(by.workspace_id, events) };
    },
    /** Returns the failed deliveries, latest first. */
    failuresOf: async (by: Caller, id: string) => (await deliveries(by, id)).filter(({ error }) => error !== null),
    /** Makes all leases expire: those of killed instances too. */
    endLeases: () => db.statement((tx) => sql`update webhooks set leased_until = now()`.execute(tx)),
    /** Advances the clocks by `ms` again and again until the assertion holds. */
    pass: (ms: number, holds: () => unknown) =>
      eventually(async () => {
        clock.ahead += ms;
        await holds();
      }),
    read: (by: Caller, webhook_id: string) => bus.call(getWebhook, { ...by, webhook_id }),
    /** Puts a webhook at position 3 of a log that keeps events from `oldest` on. */
    stand: async (workspace_id: string, webhook_id: string, oldest: number): Promise<void> => {
      await logQuietly(workspace_id, [{}, {}, {}]);
      await db.statement((tx) => sql`update webhooks set position = 3 where id = ${webhook_id}`.execute(tx));
      await db.statement((tx) =>
        sql`update days set first_seq = ${oldest} where workspace_id = ${workspace_id}`.execute(tx),
      );
    },
    /** Replays with the current version. */
    replay: async (by: Caller, webhook_id: string, body: { after: number; until?: number }) => {
      const { version } = await bus.call(getWebhook, { ...by, webhook_id });
      const request = { ...by, webhook_id, command: aCommand(), if_match: [version], body };
      return (await bus.call(replayWebhook, request)).resource;
    },
    /** Edits with the current version, again if a session changed that meanwhile. */
    patch: async (by: Caller, webhook_id: string, body: object) => {
      for (;;) {
        const { version } = await bus.call(getWebhook, { ...by, webhook_id });
        const request = { ...by, webhook_id, command: aCommand(), if_match: [version], body };
        try {
          return (await bus.call(patchWebhook, request)).resource;
        } catch (error) {
          if ((error as { code?: string }).code !== 'precondition_failed') throw error;
        }
      }
    },
  };
};

const textOf = (id: string, { type = 'card.updated', card, board = null, other, title = 'a', ...more }: Logged) =>
  JSON.stringify({
    id,
    type,
    at: new Date().toISOString(),
    actor: { user_id: v7() },
    request_id: id,
    subject: { type: 'card', id: card ?? id, version: 1 },
    card: card ? { id: card, identifier: 'MAIN-1' } : null,
    board_id: board,
    changed: more.changed ?? [],
    previous: more.previous ?? (other ? { board_id: other, column_id: other } : {}),
    data: { title },
  });

const appendTo = (db: Database<Tables>, workspaceId: string, events: readonly Logged[]): Promise<number> =>
  db.transaction(async (tx) => {
    const log = (await lockLogs(tx, [workspaceId])).get(workspaceId);
    if (!log) throw new Error('the locked log is missing');
    const rows = events.map((one) => {
      const id = v7();
      const { type = 'card.updated', card = null, board = null, other = null } = one;
      return {
        id,
        type,
        card_id: card,
        board_id: board,
        other_board_id: other,
        source: null,
        source_seq: null,
        event: textOf(id, one),
      };
    });
    const last = log.last + rows.length;
    await append(tx, [{ log: { ...log, last }, events: rows }]);
    return last;
  });
