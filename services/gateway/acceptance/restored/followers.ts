import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { migrateService, runStatements } from '@cardinal/servers';
import { eventually, scratchFolder, type World } from '@cardinal/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startFollower } from '../events/follower.ts';
import { type Body, untilAnswered, workspaceWithBoard } from '../workspace.ts';
import { copySchema, restoreSchema } from './schema-copy.ts';

/** What was written between the state that comes back and its rollback, and the highest number that was told by then. */
interface Lost {
  between: string[];
  highest: number;
}

const idsOf = (events: readonly Body[]) => events.map(({ subject }) => subject.id);

const tickOf = async (world: World): Promise<number> => {
  const [row] = await runStatements(world.adminUrl, ['select tick from event.lineage']);
  return Number((row as { tick: string }).tick);
};

/** A workspace that was written to and is followed from its beginning, by a stream and by pages. */
export const followed = async (world: World) => {
  const { client, column } = await workspaceWithBoard(world);
  const follower = startFollower(() => world.baseUrls, client.token);
  onTestFinished(() => follower.stop());
  /** Makes cards, one after the other, whatever happens meanwhile. @returns their ids */
  const write = async (count: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let at = 0; at < count; at += 1) {
      const asked = { key: randomUUID(), body: { title: `card ${at}` } };
      const { status, body, text } = await untilAnswered(() => client.post(`/columns/${column.id}/cards`, asked));
      expect(status, text).toBe(201);
      ids.push(body.data.id);
    }
    return ids;
  };
  const told = new Map<number, string>();
  /** Reads the log, and checks that every number named one event for all followers at all times. */
  const read = async (): Promise<Body[]> => {
    const events = await client.all('/events');
    for (const { seq, id } of [...events, ...follower.events]) {
      expect({ seq, id }).toEqual({ seq, id: told.get(seq) ?? id });
      told.set(seq, id);
    }
    return events;
  };
  const readTo = (id: string | undefined) =>
    eventually(async () => {
      const events = await read();
      expect(idsOf(events)).toContain(id);
      return events;
    });
  const [first] = (await write(3)).slice(-1);
  await readTo(first);
  return {
    client,
    write,
    read,
    readTo,
    /** Writes changes that will be lost, after the state was kept, and waits until followers have them. */
    goOn: async (): Promise<Lost> => {
      const keptTick = await tickOf(world);
      const between = await write(3);
      await follower.until(between.at(-1) ?? '');
      await readTo(between.at(-1));
      // A rollback of less than a second is not recognized (decision 66).
      await eventually(async () => expect(await tickOf(world)).toBeGreaterThan(keptTick));
      return { between, highest: Math.max(...told.keys()) };
    },
    /**
     * Holds the follower, after a rollback, to being told of it above all that it had, and then of everything that comes since,
     * once and in order.
     * @returns what it was told since
     */
    expectReset: async (database: string, highest: number): Promise<Body[]> => {
      const after = await write(5);
      await follower.until(after.at(-1) ?? '');
      await readTo(after.at(-1));
      const at = follower.events.findIndex(({ type, seq }) => type === 'feed.reset' && seq > highest);
      expect(at, 'the follower is told').toBeGreaterThan(0);
      expect(follower.events[at].data).toEqual({ database });
      const since = follower.events.slice(at + 1);
      expect(idsOf(since).filter((id) => after.includes(id))).toEqual(after);
      const seqs = follower.events.map(({ seq }) => seq);
      expect(seqs).toEqual([...new Set(seqs)].sort((one, other) => one - other));
      expect(follower.failures).toEqual([]);
      // Pages say the same of it.
      const paged = (await read()).filter(({ seq }) => seq >= follower.events[at].seq);
      expect(paged.slice(0, since.length + 1)).toEqual(follower.events.slice(at));
      return since;
    },
  };
};

/** Rollbacks of the log alone, which lose no number: what happens where all are rolled back is in the drill. */
export const describeFollowers = (worldOf: () => World) =>
  describe('on one Postgres, followers get the reset, and no number names two events, where', () => {
    it('the log alone is set back: what it lacks then comes again', async () => {
      const world = worldOf();
      const scene = await followed(world);
      await copySchema(world, 'event');
      const { between, highest } = await scene.goOn();
      await restoreSchema(world, 'event');
      const since = await scene.expectReset('event', highest);
      expect(idsOf(since).filter((id) => between.includes(id))).toEqual(between);
    });

    it('the log is lost as a whole: it fills again behind a reset, and followers that were ahead get 410', async () => {
      const world = worldOf();
      const { client, write, goOn, readTo, read } = await followed(world);
      const { between, highest } = await goOn();
      const { event: url } = world.databaseUrls;
      const { username } = new URL(url);
      await eventually(() =>
        runStatements(world.adminUrl, [
          `begin; set local lock_timeout = '1s'; drop schema event cascade; create schema event authorization ${username}; commit`,
        ]),
      );
      await migrateService('event', url, join(scratchFolder('migrated'), 'migrate.log'));
      const after = await write(5);
      const [reset, ...since] = await readTo(after.at(-1));
      expect(reset).toMatchObject({ type: 'feed.reset', data: { database: 'event' } });
      expect(reset.seq).toBeGreaterThan(highest);
      const written = [...between, ...after];
      expect(idsOf(since).filter((id) => written.includes(id))).toEqual(written);
      await read();
      for (const path of [`/events?after=${highest}`, `/events/stream?after=${highest}`]) {
        const { status, body } = await client.get(path);
        expect({ path, status, details: body.error?.details }).toEqual({
          path,
          status: 410,
          details: { oldest: reset.seq },
        });
      }
    });
  });
