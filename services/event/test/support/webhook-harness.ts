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

/** An event as a test appends it. */
export interface Logged {
  type?: EventType;
  card?: string;
  board?: string | null;
  other?: string;
  title?: string;
}

/** Instances of the event service that do nothing but webhooks, on a real database and bus, and who sees which board. */
export const startHarness = async (options: Partial<Config> = {}, tuning: Tuning = {}) => {
  /** Turns that broke off, as a busy machine has them: what they had sent comes again. */
  const brokenOff: string[] = [];
  const write = (line: string) => void (line.includes('the turn of a webhook broke off') && brokenOff.push(line));
  const logger = createLogger({ service: 'event', level: 'info', destination: { write } });
  const { urls, nats, natsUrl, bus } = await testSurroundings({ service: 'event' });
  const { seenBy, answers, questions } = await startCardDouble(natsUrl);
  const db = openDatabase<Tables>({ url: urls.event, name: 'test', poolSize: 3, connectTimeoutMs: 60_000 });
  await createDays(db).ahead(new Date());
  const clock = { ahead: 0 };

  /** One more instance of the service. */
  const start = (more: Partial<Config> = {}) => {
    const read = configSchema.parse({
      ...{ DATABASE_URL: urls.event, NATS_URL: natsUrl, WEBHOOK_KEY: 'k'.repeat(32) },
      ...{ WEBHOOK_HTTP: 'true', WEBHOOK_NETWORKS: '127.0.0.0/8' },
    });
    const make = (own: Connections<Tables>) => {
      const connections = { ...own, now: () => new Date(Date.now() + clock.ahead) };
      const base = { ...connections, lineage: createRollbacks(connections) };
      const { context, parts, retention } = startWebhooks(base, { ...read, ...options, ...more }, tuning);
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
    ...{ bus, db, clock, instance, start, urls, nats, questions, brokenOff },
    /** Nobody sees the board any more. */
    hide: (board: string) => void seenBy.set(board, []),
    /** Only some see the board. */
    show: (board: string, ...to: Caller[]) =>
      void seenBy.set(
        board,
        to.map(({ user_id }) => user_id),
      ),
    /** Nobody is told who sees what before `over`. */
    silence: (over: Promise<void>): void => {
      answers.after = over;
    },
    /** Appends to a log, the first one without telling anybody. Both answer the last number. */
    ...{ logQuietly, log, hook, deliveries },
    /** A webhook of a workspace of its own. */
    hooked: async (receiver: { url: string }) => {
      const by = aCaller();
      const { id, secret } = await hook(by, receiver.url);
      return { by, id, secret, log: (events: readonly Logged[]) => log(by.workspace_id, events) };
    },
    failuresOf: async (by: Caller, id: string) => (await deliveries(by, id)).filter(({ error }) => error !== null),
    /** Of instances that were killed. */
    endLeases: () => db.statement((tx) => sql`update webhooks set leased_until = now()`.execute(tx)),
    /** Lets time pass for the service, until something holds. */
    pass: (ms: number, holds: () => unknown) =>
      eventually(async () => {
        clock.ahead += ms;
        await holds();
      }),
    read: (by: Caller, webhook_id: string) => bus.call(getWebhook, { ...by, webhook_id }),
    /** Has a webhook stand after three events of a log of which the oldest are not kept. @param oldest that is kept */
    stand: async (workspace_id: string, webhook_id: string, oldest: number): Promise<void> => {
      await logQuietly(workspace_id, [{}, {}, {}]);
      await db.statement((tx) => sql`update webhooks set position = 3 where id = ${webhook_id}`.execute(tx));
      await db.statement((tx) =>
        sql`update days set first_seq = ${oldest} where workspace_id = ${workspace_id}`.execute(tx),
      );
    },
    replay: async (by: Caller, webhook_id: string, body: { after: number; until?: number }) => {
      const { version } = await bus.call(getWebhook, { ...by, webhook_id });
      const request = { ...by, webhook_id, command: aCommand(), if_match: [version], body };
      return (await bus.call(replayWebhook, request)).resource;
    },
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

const textOf = (id: string, { type = 'card.updated', card, board = null, other, title = 'a' }: Logged) =>
  JSON.stringify({
    ...{ id, type, at: new Date().toISOString(), actor: { user_id: v7() }, request_id: id },
    subject: { type: 'card', id: card ?? id, version: 1 },
    card: card ? { id: card, identifier: 'MAIN-1' } : null,
    ...{ board_id: board, changed: [], previous: other ? { board_id: other, column_id: other } : {}, data: { title } },
  });

const appendTo = (db: Database<Tables>, workspaceId: string, events: readonly Logged[]): Promise<number> =>
  db.transaction(async (tx) => {
    const log = (await lockLogs(tx, [workspaceId])).get(workspaceId);
    if (!log) throw new Error('a locked log is there');
    const rows = events.map((one) => {
      const id = v7();
      const { type = 'card.updated', card = null, board = null, other = null } = one;
      const about = { type, card_id: card, board_id: board, other_board_id: other };
      return { id, ...about, source: null, source_seq: null, event: textOf(id, one) };
    });
    const last = log.last + rows.length;
    await append(tx, [{ log: { ...log, last }, events: rows }]);
    return last;
  });
