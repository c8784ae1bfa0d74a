import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { serviceNames } from '@cardinal/contracts';
import { eventually, rounds, startWorld, type World, whitePng } from '@cardinal/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { doctor } from './doctor.ts';
import { uploaded } from './files/uploading.ts';
import { type Answer, type Body, Client, clientOf, together, untilAnswered, workspaceWithBoard } from './workspace.ts';

let world: World;
beforeAll(async () => {
  // Followers at two instances of the event service are amid the kills of `crash`.
  const instances = Object.fromEntries(serviceNames.filter((name) => name !== 'event').map((name) => [name, 2]));
  world = await startWorld({
    apart: true,
    instances,
    env: { gateway: { RATE_LIMIT_MAX: '1000000', REQUEST_TIMEOUT_MS: '10000' } },
  });
  return () => world.stop();
});

/** One user, who uses either gateway, and a column. */
const setUp = async () => {
  const { client, board, column } = await workspaceWithBoard(world);
  const baseUrl = world.baseUrls[1] as string;
  const other = new Client({ ...world, baseUrl }, client.workspaceId, client.userId, client.token);
  return { client, other, board, column };
};

const lanesCount = rounds(4, 2);
const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);
const edge = (card: Body, other: Body) => `/cards/${card.id}/dependencies/${other.id}`;
const counts = async (client: Client, card: Body) => {
  const { reference } = await client.data(client.get(`/cards/by-identifier/${card.identifier}`));
  return [reference.dependency_count, reference.dependent_count];
};

describe('what was answered is in the very next request, whichever instance gets it', () => {
  it('a dependency counts in the next look-up, also where several clients put or remove it at once', async () => {
    const lanes = await together(lanesCount, async () => {
      const { client, other, column } = await setUp();
      const [a, b] = [await client.createCard(column.id, 'A'), await client.createCard(column.id, 'B')];
      const seen: number[][] = [];
      for (let round = 0; round < rounds(100, 3); round += 1) {
        for (const write of ['PUT', 'DELETE']) {
          const counted = await together(3, async (n) => {
            const [writer, reader] = n % 2 ? [client, other] : [other, client];
            expect((await writer.send(write, edge(a, b))).status).toBeLessThan(300);
            return counts(reader, a);
          });
          seen.push(...counted);
        }
      }
      return seen;
    });
    const putAndRemoved = [...times(3, [1, 0]), ...times(3, [0, 0])];
    for (const seen of lanes) expect(seen).toEqual(times(rounds(100, 3), putAndRemoved).flat());
  });

  it('a deleted card closes no cycle', async () => {
    const lanes = await together(lanesCount, async () => {
      const { client, other, column } = await setUp();
      const [a, c] = [await client.createCard(column.id, 'A'), await client.createCard(column.id, 'C')];
      const seen: unknown[] = [];
      for (let round = 0; round < rounds(50, 2); round += 1) {
        const b = await client.createCard(column.id, 'B');
        await client.data(client.put(edge(a, b)));
        await client.data(other.put(edge(b, c)));
        const refused = (await other.put(edge(c, a))).status;
        const gone = (await client.delete(`/cards/${b.id}`, { ifMatch: b.version })).status;
        const accepted = (await other.put(edge(c, a))).status;
        seen.push([refused, gone, accepted]);
        await client.delete(edge(c, a));
      }
      return seen;
    });
    for (const seen of lanes) expect(seen).toEqual(times(rounds(50, 2), [409, 204, 200]));
  });

  it('what hung on a deleted subtask or card is gone', async () => {
    const { client, other, column } = await setUp();
    const file = await uploaded(client, 'dot.png', whitePng(1, 1));
    const statuses = async (...requests: Promise<Answer>[]) =>
      (await Promise.all(requests)).map(({ status }) => status);
    for (let round = 0; round < rounds(20, 1); round += 1) {
      const card = await client.createCard(column.id, 'with a cover');
      const add = () => client.data(client.post(`/cards/${card.id}/subtasks`, { body: { title: 'linked' } }));
      const [first, second] = [await add(), await add()];
      const link = (subtask: Body) => `/subtasks/${subtask.id}/linked-file`;
      const cover = `/cards/${card.id}/cover`;
      await client.data(client.put(`${cover}/${file.id}`));
      for (const subtask of [first, second]) await client.data(client.put(`${link(subtask)}/${file.id}`));

      const linked = await client.data(client.get(`/subtasks/${first.id}`));
      expect((await client.delete(`/subtasks/${first.id}`, { ifMatch: linked.version })).status).toBe(204);
      expect(await statuses(other.put(`${link(first)}/${file.id}`), other.delete(link(first)))).toEqual([404, 404]);

      const { version } = await client.card(card.id);
      expect((await client.delete(`/cards/${card.id}`, { ifMatch: version })).status).toBe(204);
      const touched = await statuses(
        other.get(cover),
        other.put(`${cover}/${file.id}`),
        other.delete(cover),
        other.put(`${link(second)}/${file.id}`),
        other.delete(link(second)),
      );
      expect(touched).toEqual(times(5, 404));
      expect(await other.data(other.get(`/files/${file.id}`))).toEqual(file);
    }
  });
});

/** Deletes a card at its current version. */
const remove = async (client: Client, id: string): Promise<void> => {
  for (;;) {
    const { status } = await client.delete(`/cards/${id}`, { ifMatch: (await client.card(id)).version });
    if (status === 204) return;
    expect(status).toBe(412);
  }
};

describe('a card that is deleted while others depend on it, cover it and link files to it', () => {
  it('is touched by nothing; its files stay', async () => {
    const { client, column } = await setUp();
    const images = await Promise.all(['one.png', 'two.png'].map((name) => uploaded(client, name, whitePng(40, 30))));
    const others = await together(4, (at) => client.createCard(column.id, `other ${at}`));

    for (let round = 0; round < rounds(6, 2); round += 1) {
      const card = await client.createCard(column.id, `round ${round}`);
      const subtask = await client.data(client.post(`/cards/${card.id}/subtasks`, { body: { title: 'part' } }));
      const pick = (list: Body[], at: number) => list[at % list.length];
      const touches: ((at: number) => Promise<Answer>)[] = [
        (at) => client.put(edge(card, pick(others, at))),
        (at) => client.put(edge(pick(others, at), card)),
        (at) => client.put(`/cards/${card.id}/cover/${pick(images, at).id}`),
        (at) => client.put(`/subtasks/${subtask.id}/linked-file/${pick(images, at).id}`),
      ];
      let isGone = false;
      const deleted = async () => {
        await together(8, (at) => pick(touches, at)(at));
        await remove(client, card.id);
        isGone = true;
      };
      const touchers = together(8, async (worker) => {
        for (let after = 0, at = worker; after < 3; at += 1) {
          if (isGone) after += 1;
          const { status } = await pick(touches, worker)(at);
          // 409: the other way round there is an edge already.
          expect([200, 404, 409]).toContain(status);
          if (isGone && after > 1) expect(status).toBe(404);
        }
      });
      await Promise.all([deleted(), touchers]);
      expect((await client.get(`/cards/${card.id}/cover`)).status).toBe(404);
    }

    const report = await eventually(() => doctor(world.adminUrl), { everyMs: 2_000 });
    expect(report).toContain('every card with a cover exists');
    for (const other of others) {
      expect(await client.all(`/cards/${other.id}/dependencies`)).toEqual([]);
      expect(await client.all(`/cards/${other.id}/dependents`)).toEqual([]);
    }
    for (const image of images) {
      expect(await client.data(client.get(`/files/${image.id}`))).toEqual(image);
      const content = await client.get(`/files/${image.id}/content`);
      expect((await fetch(content.headers.get('location') ?? '')).status).toBe(200);
      expect((await client.put(`/cards/${others[0].id}/cover/${image.id}`)).status).toBe(200);
    }
  });
});

describe('two instances of the card and the identifier service', () => {
  it('give out numbers as one, answer equal requests as one, and outlive each other', async () => {
    const { client, other, board, column } = await setUp();
    const either = (n: number) => (n % 2 ? client : other);
    const pay = await client.createWorkstream('PAY');

    const card = await client.createCard(column.id, 'contested');
    const equalCount = rounds(20, 10);
    const transfers = await together(equalCount, (n) => either(n).transfer(card, pay.id));
    expect(transfers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(transfers.filter(({ status }) => status === 412)).toHaveLength(equalCount - 1);

    const create = (n: number, key: string) => {
      const body = { title: 'card', workstream_id: pay.id };
      return either(n).post(`/columns/${column.id}/cards`, { key, body });
    };
    const equal = await together(equalCount, (n) => create(n, 'once'));
    expect(new Set(equal.map(({ body }) => JSON.stringify(body))).size).toBe(1);

    const manyCount = rounds(60, 24);
    const many = together(manyCount, (n) => {
      const key = randomUUID();
      return untilAnswered(() => create(n, key));
    });
    await Promise.all([world.kill('card'), world.kill('identifier')]);
    for (const { status } of await many) expect(status).toBe(201);
    await Promise.all([world.restart('card'), world.restart('identifier')]);

    const identifiers = (await client.all(`/boards/${board.id}/cards`)).map((each) => each.identifier);
    expect(identifiers.sort()).toEqual(Array.from({ length: manyCount + 2 }, (_, n) => `PAY-${n + 1}`).sort());
  });

  it('answer a lookup at once after its create and its transfer rightly or with 503, while one is killed', async () => {
    const { client, other, column } = await setUp();
    const stranger = await clientOf(world, { workspace: client.workspaceId });
    const pay = await client.createWorkstream('PAY');
    await client.createCard(column.id, 'first', { workstream_id: pay.id });
    const found: number[] = [];
    const lookUp = async (by: Client, identifier: string, id: string) => {
      const { status, body } = await by.get(`/cards/by-identifier/${identifier}`);
      found.push(status);
      if (status === 200) expect(body.data.card.id).toBe(id);
    };
    let [kills, working] = [0, true];
    const killer = async () => {
      for (; working && kills < rounds(20, 1); kills += 1) {
        await world.kill('identifier');
        await world.restart('identifier');
      }
    };
    const workers = together(rounds(8, 4), async (n) => {
      for (let round = 0; round < rounds(42) || kills < rounds(2, 1); round += 1) {
        const [writer, reader] = round % 2 ? [client, other] : [other, client];
        const made = await untilAnswered(() => writer.post(`/columns/${column.id}/cards`, { body: { title: `${n}` } }));
        const card = made.body.data;
        await lookUp(reader, card.identifier, card.id);
        const moved = await untilAnswered(() => writer.transfer(card, pay.id));
        expect([200, 412]).toContain(moved.status);
        // Of what a user has seen, the gateway may remember whose it is.
        await lookUp(stranger, card.identifier, card.id);
        if (moved.status === 200) await lookUp(reader, moved.body.data.identifier, card.id);
        // Leaves most of the machine to the process that starts again.
        await setTimeout(rounds(100, 250));
      }
    }).finally(() => {
      working = false;
    });
    await Promise.all([killer(), workers]);
    expect(found.length).toBeGreaterThan(rounds(600, 30));
    expect(found.filter((status) => status !== 200 && status !== 503)).toEqual([]);
  });
});
