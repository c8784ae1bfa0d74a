import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { migrateService, runStatements } from '@cardinal/servers';
import { eventually, scratchFolder, type World } from '@cardinal/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startFollower } from '../events/follower.ts';
import { type Body, untilAnswered, workspaceWithBoard } from '../workspace.ts';
import { copySchema, restoreSchema } from './schema-copy.ts';

/** A workspace that is written to and followed from its beginning, by a stream and by pages. */
const followed = async (world: World) => {
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
  /** Reads the log as it is now, and holds every number to naming one event, whoever was told of it and when. */
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
      expect(events.map(({ subject }) => subject.id)).toContain(id);
      return events;
    });
  return { client, follower, write, read, readTo, highest: () => Math.max(...told.keys()) };
};

const tickOf = async (world: World): Promise<number> => {
  const [row] = await runStatements(world.adminUrl, ['select tick from event.lineage']);
  return Number((row as { tick: string }).tick);
};

interface Fall<Kept> {
  keep: () => Promise<Kept>;
  fall: (kept: Kept) => Promise<unknown>;
}

/** Has a state be kept, what follows be told, and the kept state come back. */
const fallen = async <Kept>(world: World, { keep, fall }: Fall<Kept>) => {
  const scene = await followed(world);
  const [before] = (await scene.write(3)).slice(-1);
  await scene.readTo(before);
  const kept = await keep();
  const keptTick = await tickOf(world);
  const between = await scene.write(3);
  await scene.follower.until(between.at(-1) ?? '');
  await scene.readTo(between.at(-1));
  // A fall of less than a second is not recognized (decision 66).
  await eventually(async () => expect(await tickOf(world)).toBeGreaterThan(keptTick));
  const highest = scene.highest();
  await fall(kept);
  return { ...scene, between, highest, after: await scene.write(5) };
};

const idsOf = (events: readonly Body[]) => events.map(({ subject }) => subject.id);

/** Holds a follower to having been told of a fall above all that it had, and then of everything that came since, once and in order. */
const expectReset = async (scene: Awaited<ReturnType<typeof fallen>>, database: string): Promise<Body[]> => {
  const { follower, readTo, read, highest, after } = scene;
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
};

/** Those who follow a workspace, amid falls. */
export const describeFollowers = (worldOf: () => World) =>
  describe('on one Postgres, who follows is told, and no number names two events, where', () => {
    it('everything is set back together', async () => {
      const world = worldOf();
      const { copy: keep, setBack: fall } = world.ownPostgres();
      const scene = await fallen(world, { keep, fall });
      const since = await expectReset(scene, 'event');
      // What was lost with its owner is told no more.
      expect(idsOf(since).filter((id) => scene.between.includes(id))).toEqual([]);
      expect(idsOf(await scene.read()).filter((id) => scene.between.includes(id))).toEqual([]);
    });

    it('everything is replaced by a standby that lacks the last seconds', async () => {
      const world = worldOf();
      const standby = await world.ownPostgres().standby(false);
      await expectReset(await fallen(world, { keep: async () => standby.cut(), fall: standby.promote }), 'event');
    });

    it('an owner of a feed alone is set back', async () => {
      const world = worldOf();
      const back = { keep: () => copySchema(world, 'card'), fall: () => restoreSchema(world, 'card') };
      await expectReset(await fallen(world, back), 'card');
    });

    it('the log alone is set back: what it lacks then comes again', async () => {
      const world = worldOf();
      const back = { keep: () => copySchema(world, 'event'), fall: () => restoreSchema(world, 'event') };
      const scene = await fallen(world, back);
      const since = await expectReset(scene, 'event');
      expect(idsOf(since).filter((id) => scene.between.includes(id))).toEqual(scene.between);
    });

    it('the log is lost as a whole: it fills again behind a reset, and who was further is answered 410', async () => {
      const world = worldOf();
      const fall = async () => {
        const { event: url } = world.databaseUrls;
        const { username } = new URL(url);
        await eventually(() =>
          runStatements(world.adminUrl, [
            `begin; set local lock_timeout = '1s'; drop schema event cascade; create schema event authorization ${username}; commit`,
          ]),
        );
        await migrateService('event', url, join(scratchFolder('migrated'), 'migrate.log'));
      };
      const { client, highest, between, after, readTo, read } = await fallen(world, { keep: async () => {}, fall });
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
