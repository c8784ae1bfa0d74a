import { feedsGrew, pullCardChanges } from '@cardinal/contracts';
import { appendChanges } from '@cardinal/db';
import { createLogger } from '@cardinal/runtime';
import { eventually, testBus, testNats } from '@cardinal/testkit';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { describe, expect, onTestFinished, test } from 'vitest';
import { feedHours, purgeChanges, serveFeed } from '../src/index.ts';
import { change, feedDatabase } from './support/feed-database.ts';

describe('a service with a feed', () => {
  const _logger = createLogger({ service: 'test', level: 'silent' });
  const start = async () => {
    const [own, nats] = await Promise.all([feedDatabase(), testNats()]);
    const [bus, log] = await Promise.all([testBus(nats.url, 'card'), testBus(nats.url, 'event')]);
    const heard: unknown[] = [];
    log.onSignal(feedsGrew, (said) => void heard.push(said));
    // Once the broker answers, the subscription is active.
    await log.ping();
    const feed = serveFeed('card', { db: own, bus });
    onTestFinished(async () => {
      await Promise.all([bus.drain(), log.drain()]);
      await own.close();
    });
    return { own, feed, log, heard, nats, bus };
  };

  test('signals workspaces that grew, together, and a database that it meets again', async () => {
    const { own, feed, heard } = await start();
    const [one, other] = [v7(), v7()];
    for (const id of [one, other, one]) feed.nudge(id);
    await eventually(() => expect(heard).toEqual([{ owner: 'card', workspace_ids: [one, other] }]));
    heard.length = 0;
    await own.check();
    await feed.announceServer();
    await feed.announceServer();
    feed.nudge(one);
    const all = { owner: 'card', workspace_ids: null };
    await eventually(() => expect(heard).toEqual([all, { owner: 'card', workspace_ids: [one] }]));
  });

  test('signals a database that it met once the broker takes signals', async () => {
    const { feed, heard, nats, bus, log } = await start();
    await nats.kill();
    await eventually(() => expect(bus.ping()).rejects.toThrow('broken'));
    await feed.announceServer();
    await nats.restart();
    await eventually(() => Promise.all([bus.ping(), log.ping()]));
    expect(heard).toEqual([]);
    await feed.announceServer();
    await eventually(() => expect(heard).toEqual([{ owner: 'card', workspace_ids: null }]));
  });

  test('keeps a change until the log has it and it is old, and nudges where no follower is known to have it', async () => {
    const { own, feed, log, heard } = await start();
    const [taken, unread, young] = [v7(), v7(), v7()];
    const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000);
    for (const id of [taken, unread, young]) {
      await own.transaction((tx) => appendChanges(tx, id, [change(), change(), change()]));
    }
    const age = sql`workspace_id <> ${young}`;
    await own.transaction(async (tx) => {
      await sql`update changes set noted_at = ${ago(feedHours + 1)} where ${age}`.execute(tx);
      await sql`update feeds set noted_at = ${ago(feedHours + 1)} where ${age}`.execute(tx);
    });
    const pulling = (id: string, after: number) => log.call(pullCardChanges, { feeds: [{ workspace_id: id, after }] });
    const left = async () => {
      const { rows } = await own.read((tx) =>
        sql<{ workspace_id: string; seq: number }>`select workspace_id, seq from changes order by seq`.execute(tx),
      );
      const seqs = (id: string) => rows.filter(({ workspace_id }) => workspace_id === id).map(({ seq }) => seq);
      return [taken, unread, young].map(seqs);
    };
    const purge = () => purgeChanges(own, ago(feedHours));

    await pulling(taken, 2);
    await pulling(young, 3);
    await purge();
    expect(await left(), 'nothing is known yet').toEqual([
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ]);
    await feed.noteTaken();
    await purge();
    expect(await left()).toEqual([[3], [1, 2, 3], [1, 2, 3]]);
    await eventually(() => expect(heard).toEqual([{ owner: 'card', workspace_ids: expect.any(Array) }]));
    const [nudge] = heard as { workspace_ids: string[] }[];
    expect(nudge?.workspace_ids.toSorted()).toEqual([taken, unread].toSorted());
    await pulling(taken, 3);
    // A position that the feed never reached: the database was rolled back.
    await pulling(unread, 9);
    await feed.noteTaken();
    const feeds = await own.read((tx) => sql<{ taken: number }>`select taken from feeds`.execute(tx));
    expect(feeds.rows).toEqual([{ taken: 3 }, { taken: 3 }, { taken: 3 }]);
    await purge();
    expect(await left()).toEqual([[], [], [1, 2, 3]]);
  });
});
