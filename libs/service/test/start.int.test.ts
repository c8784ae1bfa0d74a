import { feedsGrew, filterBoards, pullCardChanges } from '@cardinal/contracts';
import {
  createCommandLog,
  createFeed,
  createInternalEvents,
  createOutbox,
  migrate,
  purgeCommands,
  runIdempotently,
} from '@cardinal/db';
import { createLogger, type Part, serveHealth } from '@cardinal/runtime';
import { eventually, startProxy, testBus, testDatabase, testNats } from '@cardinal/testkit';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { serviceConfig } from '../src/config.ts';
import { type Connections, type Service, startService } from '../src/index.ts';

type Tables = Record<never, never>;
const nats = await testNats();
const caller = await testBus(nats.url);

const migrations = {
  '0001': async () => ({
    up: async (db: Parameters<typeof createOutbox>[0]) => {
      await createCommandLog(db);
      await createOutbox(db);
      await createFeed(db);
      await createInternalEvents(db);
    },
  }),
};

/** Starts a service with a database of its own. The test stops its parts one by one. */
const start = async (
  service: Service<unknown, Tables>,
  { isMigrated = true, before = async (url: string) => url } = {},
) => {
  const { url } = await testDatabase();
  if (isMigrated) await migrate({ url, migrations });
  const parts: Part[] = [];
  const lines: { msg: string; port?: number }[] = [];
  const started = startService<ReturnType<typeof config.parse>, Tables>(service, {
    name: 'card',
    config: config.parse({ DATABASE_URL: await before(url), NATS_URL: nats.url }),
    migrations: Object.keys(migrations),
    logger: createLogger({
      service: 'card',
      destination: { write: (line: string) => void lines.push(JSON.parse(line)) },
    }),
    life: { add: async (part) => void parts.unshift(part) },
    serveHealth,
  });
  if (isMigrated) await started;
  const port = await eventually(async () => {
    const line = lines.find(({ msg }) => msg === 'listening');
    if (!line) throw new Error('listens on no port yet');
    return line.port;
  });
  return {
    started,
    lines,
    migrate: () => migrate({ url, migrations }),
    /** Stops all parts before the named one, as a signal would. */
    stopUntil: async (name?: string) => {
      while (parts[0] && parts[0].name !== name) await parts.shift()?.stop();
    },
    readiness: async () => {
      const response = await fetch(`http://127.0.0.1:${port}/readyz`);
      return { status: response.status, body: await response.json() };
    },
  };
};
const config = serviceConfig({});

test('stops in the order in which nothing is lost', async () => {
  const happened: string[] = [];
  const gate = Promise.withResolvers<void>();
  let connections: Connections<Tables> | undefined;
  const running = await start((given) => {
    connections = given;
    given.bus.serve(filterBoards, async () => {
      happened.push('asked');
      await gate.promise;
      await given.db.read((tx) => sql`select 1`.execute(tx));
      happened.push('answered');
      return { board_ids: [] };
    });
    return {
      parts: [{ name: 'listener', stop: () => happened.push('listener closed') }],
      sweepers: [{ name: 'round', intervalMs: 3_600_000, run: async () => happened.push('swept') }],
      idle: async () => {
        await given.db.read((tx) => sql`select 1`.execute(tx));
        happened.push('idle');
      },
    };
  });
  await eventually(async () => expect(await running.readiness()).toEqual({ status: 200, body: { status: 'ok' } }));
  await eventually(async () => expect(happened).toEqual(['swept']));
  const answer = caller.call(filterBoards, { workspace_id: v7(), user_id: v7(), board_ids: [] });
  await eventually(async () => expect(happened).toContain('asked'));

  await running.stopUntil('sweepers');
  expect(await running.readiness()).toEqual({ status: 503, body: { failed: ['stopping'] } });
  await running.stopUntil('bus');
  expect(happened).toEqual(['swept', 'asked', 'listener closed']);

  const stopped = running.stopUntil();
  gate.resolve();
  expect(await answer).toEqual({ board_ids: [] });
  await stopped;
  expect(happened).toEqual(['swept', 'asked', 'listener closed', 'answered', 'idle']);
  await expect(connections?.db.read((tx) => sql`select 1`.execute(tx))).rejects.toThrow();
});

test('is alive, not ready, and serves nothing until its schema is migrated', async () => {
  let isServing = false;
  const running = await start(
    () => {
      isServing = true;
      return {};
    },
    { isMigrated: false },
  );
  await eventually(async () =>
    expect(running.lines.map(({ msg }) => msg)).toContain('DATABASE_URL: its schema lacks 0001; run the migrations'),
  );
  expect(await running.readiness()).toEqual({ status: 503, body: { failed: ['schema', 'bus'] } });
  expect(isServing).toBe(false);
  await running.migrate();
  await running.started;
  expect(isServing).toBe(true);
  await eventually(async () => expect(await running.readiness()).toEqual({ status: 200, body: { status: 'ok' } }));
  await running.stopUntil();
});

test('keeps waiting for the schema where its database goes away', async () => {
  const proxies: Awaited<ReturnType<typeof startProxy>>[] = [];
  const before = async (url: string) => {
    const proxy = await startProxy(url);
    proxies.push(proxy);
    return proxy.url;
  };
  const running = await start(() => ({}), { isMigrated: false, before });
  const said = (words: string) =>
    eventually(async () => expect(running.lines.filter(({ msg }) => msg.includes(words))).not.toEqual([]));
  await said('its schema lacks 0001');
  for (const proxy of proxies) proxy.refuse();
  await said('hangs up');
  for (const proxy of proxies) proxy.accept();
  await running.migrate();
  await running.started;
  await eventually(async () => expect(await running.readiness()).toEqual({ status: 200, body: { status: 'ok' } }));
  await running.stopUntil();
});

test('deletes data older than its retention, and nothing younger', async () => {
  const workspace_id = v7();
  const [old, young] = [v7(), v7()];
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
  const ids = async (db: Connections<Tables>['db'], table: string) => {
    const { rows } = await db.read((tx) => sql<{ id: string }>`select id from ${sql.table(table)}`.execute(tx));
    return rows.map(({ id }) => id);
  };
  let connections: Connections<Tables> | undefined;
  const running = await start(async (given) => {
    connections = given;
    await given.db.transaction(async (tx) => {
      for (const [id, at] of [[old, hoursAgo(26)] as const, [young, hoursAgo(24)] as const]) {
        await runIdempotently(tx, { workspace_id, command: { id, fingerprint: 'f' } }, at, async () => ({}));
      }
    });
    return { retention: [{ purge: purgeCommands, hours: 25 }] };
  });
  await eventually(async () => {
    if (!connections) throw new Error('not started');
    expect(await ids(connections.db, 'commands')).toEqual([young]);
  });
  await running.stopUntil();
});

test('with a feed, signals it and serves pulls from its start on', async () => {
  const log = await testBus(nats.url, 'event');
  const heard: unknown[] = [];
  log.onSignal(feedsGrew, (said) => void heard.push(said));
  await log.ping();
  const workspace_id = v7();
  const running = await start(({ feed }) => {
    feed.nudge(workspace_id);
    return {};
  });
  const all = { owner: 'card', workspace_ids: null };
  await eventually(() =>
    expect(heard).toEqual(expect.arrayContaining([all, { ...all, workspace_ids: [workspace_id] }])),
  );
  const { feeds } = await log.call(pullCardChanges, { feeds: [{ workspace_id, after: 0 }] });
  expect(feeds).toMatchObject([{ workspace_id, last: 0, changes: [] }]);
  await running.stopUntil();
});
