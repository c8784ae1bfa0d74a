import { eventually, startWorld } from '@cardinal/testkit';
import { expect, it } from 'vitest';
import { doctor } from './doctor.ts';
import { png, uploaded } from './files/uploading.ts';
import { type Body, type Client, together, workspaceWithBoard } from './workspace.ts';

/** Deletes a card, whatever its version is by now. */
const remove = async (client: Client, id: string): Promise<void> => {
  for (;;) {
    const { status } = await client.delete(`/cards/${id}`, { ifMatch: (await client.card(id)).version });
    if (status === 204) return;
    expect(status).toBe(412);
  }
};

it('a card that is deleted while others depend on it, cover it and link files to it is touched by nothing; its files stay', async () => {
  const world = await startWorld({ instances: { attachment: 2, dependency: 2 } });
  try {
    const { client, column } = await workspaceWithBoard(world);
    const images = await Promise.all(['one.png', 'two.png'].map((name) => uploaded(client, name, png(40, 30))));
    const others: Body[] = [];
    for (let at = 0; at < 4; at += 1) others.push(await client.createCard(column.id, `other ${at}`));

    for (let round = 0; round < 6; round += 1) {
      const card = await client.createCard(column.id, `round ${round}`);
      const subtask = await client.data(client.post(`/cards/${card.id}/subtasks`, { body: { title: 'part' } }));
      const pick = (list: Body[], at: number) => list[at % list.length];
      const touches = [
        (at: number) => client.put(`/cards/${card.id}/dependencies/${pick(others, at).id}`),
        (at: number) => client.put(`/cards/${pick(others, at).id}/dependencies/${card.id}`),
        (at: number) => client.put(`/cards/${card.id}/cover/${pick(images, at).id}`),
        (at: number) => client.put(`/subtasks/${subtask.id}/linked-file/${pick(images, at).id}`),
      ];
      let isGone = false;
      const deleted = async () => {
        await together(8, (at) => touches[at % 4]?.(at) as ReturnType<(typeof client)['put']>);
        await remove(client, card.id);
        isGone = true;
      };
      const touchers = together(8, async (worker) => {
        for (let after = 0, at = worker; after < 3; at += 1) {
          if (isGone) after += 1;
          const { status } = await (touches[worker % 4] as (typeof touches)[0])(at);
          // 409: the other way round there is an edge already.
          expect([200, 404, 409]).toContain(status);
          if (isGone && after > 1) expect(status).toBe(404);
        }
      });
      await Promise.all([deleted(), touchers]);
      expect((await client.get(`/cards/${card.id}/cover`)).status).toBe(404);
    }

    const report = await eventually(() => doctor(world.adminUrl), { timeoutMs: 30_000, everyMs: 500 });
    expect(report).toContain('every card with a cover exists');
    for (const other of others) {
      expect(await client.all(`/cards/${other.id}/dependencies`)).toEqual([]);
      expect(await client.all(`/cards/${other.id}/dependents`)).toEqual([]);
    }
    for (const image of images) {
      expect(await client.data(client.get(`/files/${image.id}`))).toEqual(image);
      const content = await client.get(`/files/${image.id}/content`);
      expect((await fetch(content.headers.get('location') ?? '')).status).toBe(200);
      const [other] = others;
      expect((await client.put(`/cards/${other.id}/cover/${image.id}`)).status).toBe(200);
    }
  } finally {
    await world.stop();
  }
});
