import { conflict, type InternalEvent, unavailable } from '@cardinal/contracts';
import { appendChanges } from '@cardinal/db';
import { createLogger, serveMetrics } from '@cardinal/runtime';
import { eventually, scrape, testBus, testNats } from '@cardinal/testkit';
import { breakConnections } from '@cardinal/testkit/instance';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Projection, serveFeed, startProjections } from '../src/index.ts';
import { feedDatabase } from './support/feed-database.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const metrics = await serveMetrics({ port: 0, host: '127.0.0.1', logger });
afterAll(() => metrics.close());

let nats: Awaited<ReturnType<typeof testNats>>;
beforeAll(async () => {
  nats = await testNats();
});

const event = (workspace_id: string, aggregate_version: number): InternalEvent => ({
  id: v7(),
  type: 'card.deleted',
  version: 1,
  occurred_at: new Date().toISOString(),
  workspace_id,
  request_id: 'r',
  aggregate_id: v7(),
  aggregate_version,
  data: {},
});

/** The card service with a feed, and the dependency service as its follower, each with a database of its own. */
const start = async (projection: Partial<Projection> = {}, before?: string) => {
  const [own, other] = await Promise.all([feedDatabase(), feedDatabase()]);
  if (before) await own.statement((tx) => sql.raw(before).execute(tx));
  const [bus, otherBus] = await Promise.all([testBus(nats.url, 'card'), testBus(nats.url, 'dependency')]);
  const feed = serveFeed('card', { db: own, bus });
  await bus.ping();
  const taken: InternalEvent[] = [];
  const rebuilt: string[] = [];
  const follow = () =>
    startProjections({ db: other, bus: otherBus, logger }, [
      {
        owner: 'card',
        take: async (events) => void taken.push(...events),
        rebuildPage: async (workspaceId, after) => {
          rebuilt.push(`${workspaceId} ${after}`);
          return after === null ? 'second' : null;
        },
        ...projection,
      },
    ]);
  const following = [follow()];
  onTestFinished(async () => {
    await Promise.all(following.map((part) => part.stop()));
    await Promise.all([bus.drain(), otherBus.drain()]);
    await Promise.all([own.close(), other.close()]);
  });
  const note = async (...events: InternalEvent[]) => {
    await own.transaction((tx) => appendChanges(tx, events[0]?.workspace_id ?? '', [], events));
    return events;
  };
  const versions = (workspaceId: string) =>
    taken.flatMap((one) => (one.workspace_id === workspaceId ? [one.aggregate_version] : []));
  const positions = async () =>
    (
      await other.read((tx) =>
        sql<{ workspace_id: string; seq: number; id: string | null }>`
          select workspace_id, seq, id from followed_feeds order by workspace_id`.execute(tx),
      )
    ).rows;
  const run = (text: string) => own.statement((tx) => sql.raw(text).execute(tx));
  const runOther = (text: string) => other.statement((tx) => sql.raw(text).execute(tx));
  return {
    other,
    feed,
    note,
    taken,
    rebuilt,
    versions,
    positions,
    run,
    runOther,
    beside: () => following.push(follow()),
  };
};

describe('a projection', () => {
  test('applies the events of each workspace in order at a nudge, and moves its position', async () => {
    const { feed, note, versions, positions } = await start();
    const [one, other] = [v7(), v7()];
    await note(event(one, 1), event(one, 2));
    await note(event(other, 1));
    feed.nudgeProjections(one);
    await eventually(() => expect(versions(one)).toEqual([1, 2]));
    const third = await note(event(one, 3));
    feed.nudgeProjections(one);
    feed.nudgeProjections(other);
    await eventually(() => expect([versions(one), versions(other)]).toEqual([[1, 2, 3], [1]]));
    await eventually(async () =>
      expect(await positions()).toContainEqual({ workspace_id: one, seq: 3, id: third[0]?.id }),
    );
  });

  test('finds events without a nudge, and more than one answer holds', async () => {
    const { note, versions } = await start();
    const workspace = v7();
    const count = 1_200;
    await note(...Array.from({ length: count }, (_, at) => event(workspace, at + 1)));
    await eventually(() => expect(versions(workspace)).toEqual(Array.from({ length: count }, (_, at) => at + 1)));
  });

  test('misses nothing in two instances, and ends at one position', async () => {
    const { feed, note, beside, versions, positions } = await start();
    beside();
    const workspace = v7();
    for (let version = 1; version <= 40; version += 1) {
      await note(event(workspace, version));
      feed.nudgeProjections(workspace);
    }
    await eventually(async () => expect(await positions()).toMatchObject([{ workspace_id: workspace, seq: 40 }]));
    expect(new Set(versions(workspace)).size).toBe(40);
  });

  test('stops for a workspace alone while it cannot apply an event, and metrics show it', async () => {
    let isBroken = true;
    const [bad, good] = [v7(), v7()];
    const taken: InternalEvent[] = [];
    const { feed, note, positions } = await start({
      take: async (events) => {
        if (isBroken && events.some(({ workspace_id }) => workspace_id === bad)) throw conflict('No');
        taken.push(...events);
      },
    });
    const stopped = async () =>
      (await scrape(`http://127.0.0.1:${metrics.port}/metrics`)).value('cardinal_projection_stopped_workspaces', {
        owner: 'card',
      });
    await note(event(bad, 1));
    feed.nudgeProjections(bad);
    await eventually(async () => expect(await stopped()).toBe(1));
    for (let version = 1; version <= 3; version += 1) {
      await note(event(good, version));
      feed.nudgeProjections(good);
      await eventually(() => expect(taken.at(-1)).toMatchObject({ workspace_id: good, aggregate_version: version }));
    }
    expect((await positions()).map(({ workspace_id }) => workspace_id)).toEqual([good]);
    isBroken = false;
    await eventually(() => expect(taken.at(-1)).toMatchObject({ workspace_id: bad, aggregate_version: 1 }));
    await eventually(async () => expect(await stopped()).toBe(0));
  });

  test('applies events again where the database may have rolled back before the position moved', async () => {
    const taken: number[] = [];
    let after = async () => {};
    const { note, positions, other } = await start({
      take: async (events) => {
        taken.push(...events.map(({ aggregate_version }) => aggregate_version));
        await after();
      },
    });
    after = async () => {
      after = async () => {};
      await breakConnections(other);
    };
    const workspace_id = v7();
    await note(event(workspace_id, 1));
    await eventually(async () => expect(await positions()).toMatchObject([{ workspace_id, seq: 1 }]));
    expect(taken).toEqual([1, 1]);
  });

  test('does not count as stopped while another service is away', async () => {
    let tries = 0;
    const { feed, note } = await start({
      take: async () => {
        tries += 1;
        if (tries < 4) throw unavailable('Away');
        expect(
          (await scrape(`http://127.0.0.1:${metrics.port}/metrics`)).value('cardinal_projection_stopped_workspaces', {
            owner: 'card',
          }),
        ).toBe(0);
      },
    });
    const workspace = v7();
    await note(event(workspace, 1));
    feed.nudgeProjections(workspace);
    await eventually(() => expect(tries).toBeGreaterThanOrEqual(4));
  });
});

describe('a projection is rebuilt page by page, and continues after that', () => {
  /** Takes three events, then changes the feed, and nudges. */
  const after = async (happens: (workspace: string) => string, database: 'own' | 'other' = 'own') => {
    const parts = await start();
    const { feed, note, rebuilt, versions, positions, run, runOther } = parts;
    const workspace = v7();
    await note(event(workspace, 1), event(workspace, 2), event(workspace, 3));
    feed.nudgeProjections(workspace);
    await eventually(async () => expect(await positions()).toMatchObject([{ seq: 3 }]));
    expect(rebuilt).toEqual([]);
    await (database === 'own' ? run : runOther)(happens(workspace));
    await note(event(workspace, 9));
    feed.nudgeProjections(workspace);
    await eventually(() => expect(rebuilt).toEqual([`${workspace} null`, `${workspace} second`]));
    const next = await note(event(workspace, 10));
    feed.nudgeProjections(workspace);
    await eventually(() => expect(versions(workspace).at(-1)).toBe(10));
    await eventually(async () => expect(await positions()).toMatchObject([{ id: next[0]?.id }]));
    return { ...parts, workspace };
  };

  test('where the feed was rolled back and reused numbers', async () => {
    await after(
      (workspace) => `
        with kept as (delete from internal_events where workspace_id = '${workspace}' and seq > 1)
        update feeds set last_internal = 1,
          last_internal_id = (select id from internal_events where workspace_id = '${workspace}' and seq = 1)
        where workspace_id = '${workspace}'`,
    );
  });

  test('where the feed is gone', async () => {
    await after(
      (workspace) => `with gone as (delete from internal_events) delete from feeds where workspace_id = '${workspace}'`,
    );
  });

  test('where the events after its position were purged', async () => {
    const { versions, workspace } = await after(() => `update followed_feeds set seq = 1, id = '${v7()}'`, 'other');
    expect(versions(workspace)).toEqual([1, 2, 3, 10]);
  });

  test('where the doctor demands it', async () => {
    const { rebuilt, positions, note, feed, runOther } = await start();
    const workspace = v7();
    await note(event(workspace, 1));
    feed.nudgeProjections(workspace);
    await eventually(async () => expect(await positions()).toMatchObject([{ seq: 1 }]));
    await runOther(`update followed_feeds set seq = -1, id = null`);
    await eventually(() => expect(rebuilt).toHaveLength(2));
    await eventually(async () => expect(await positions()).toMatchObject([{ seq: 1 }]));
  });

  test('where a workspace had a feed before internal events existed', async () => {
    const workspace = v7();
    const noted = `insert into feeds (workspace_id, last_internal) values ('${workspace}', 1)`;
    const { rebuilt, positions } = await start({}, noted);
    await eventually(() => expect(rebuilt).toEqual([`${workspace} null`, `${workspace} second`]), {
      timeoutMs: 30_000,
    });
    await eventually(async () => expect(await positions()).toEqual([{ workspace_id: workspace, seq: 1, id: null }]));
  });

  test('and tried again where that fails', async () => {
    let failures = 2;
    const done: string[] = [];
    const workspace = v7();
    const noted = `insert into feeds (workspace_id, last_internal) values ('${workspace}', 1)`;
    const rebuildPage = async (workspaceId: string) => {
      failures -= 1;
      if (failures >= 0) throw new Error('no');
      done.push(workspaceId);
      return null;
    };
    const { positions } = await start({ rebuildPage }, noted);
    await eventually(() => expect(done).toEqual([workspace]), { timeoutMs: 30_000 });
    await eventually(async () => expect(await positions()).toMatchObject([{ seq: 1 }]));
  });
});
