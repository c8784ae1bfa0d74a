import { startWorld } from '@cardinal/testkit';
import { expect, it } from 'vitest';
import { clientOf, together, untilAnswered, workspaceWithBoard } from './workspace.ts';

it('a lookup at once after its create and its transfer is right or 503, while the identifier service is killed', async () => {
  const world = await startWorld({ instances: { gateway: 2, card: 2, identifier: 2 } });
  try {
    const { client, column } = await workspaceWithBoard(world);
    const { workspaceId: workspace, userId: user } = client;
    const other = await clientOf({ ...world, baseUrl: world.baseUrls[1] ?? '' }, { workspace, user });
    const pay = await client.createWorkstream('PAY');
    await client.createCard(column.id, 'first', { workstream_id: pay.id });
    let killing = true;
    const killer = (async () => {
      while (killing) {
        await world.kill('identifier');
        await world.restart('identifier');
      }
    })();
    const found: number[] = [];
    const lookUp = async (by: typeof client, identifier: string, id: string) => {
      const { status, body } = await by.get(`/cards/by-identifier/${identifier}`);
      found.push(status);
      if (status === 200) expect(body.data.card.id).toBe(id);
    };
    await together(8, async (n) => {
      for (let round = 0; round < 10; round += 1) {
        const [writer, reader] = round % 2 ? [client, other] : [other, client];
        const made = await untilAnswered(() => writer.post(`/columns/${column.id}/cards`, { body: { title: `${n}` } }));
        const card = made.body.data;
        await lookUp(reader, card.identifier, card.id);
        const moved = await untilAnswered(() => writer.transfer(card, pay.id));
        expect([200, 412]).toContain(moved.status);
        await lookUp(reader, card.identifier, card.id);
        if (moved.status === 200) await lookUp(reader, moved.body.data.identifier, card.id);
      }
    });
    killing = false;
    await killer;
    expect(found.length).toBeGreaterThan(150);
    expect(found.filter((status) => status !== 200 && status !== 503)).toEqual([]);
  } finally {
    await world.stop();
  }
});
