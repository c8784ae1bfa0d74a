import { eventually, rounds, type World } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { logOf } from '../events/log.ts';
import { expectSigned, startReceiver } from '../events/receiver.ts';
import { expectAllOnce, startWriters } from '../events/writers.ts';
import { type Body, clientOf, workspaceWithBoard } from '../workspace.ts';

/** In full, else each mood of a receiver once. */
const isFull = rounds(2, 1) === 2;
const lastsMs = isFull ? 600_000 : 0;
/** What failed four times waits for ten minutes, with jitter (CONTRACT 10.3). */
const longestWaitMs = isFull ? 780_000 : 300_000;
/** What starting, and sending what waits in the end, may take besides. */
const settlesMs = longestWaitMs + 300_000;
const [count, thinkMs] = isFull ? [64, 500] : [2, 100];

const promise = 'a receiver that fails, hangs and is away in turn is sent every change, in order for each card';
/** The receivers. */
export const describeReceivers = (worldOf: () => World) =>
  describe('webhooks', () => {
    it(promise, { timeout: lastsMs + settlesMs }, async () => {
      const world = worldOf();
      const { client, column } = await workspaceWithBoard(world);
      const receiver = await startReceiver();
      const from = (await logOf(client)).length;
      const make = (path: string, body: Body) => client.data(client.post(path, { body }));
      const webhook = await make('/webhooks', { url: receiver.url, types: ['card.*', 'comment.*'] });
      const load = startWriters({ client, columnId: column.id, baseUrls: () => world.baseUrls, count, thinkMs });
      const more = (changes: number) => {
        const goal = load.acknowledged.length + changes;
        return eventually(() => expect(load.acknowledged.length).toBeGreaterThan(goal));
      };
      const suffer = async () => {
        const end = performance.now() + lastsMs;
        do {
          for (const [mood, sender] of [
            ['fails', 'event'],
            ['hangs', 'event-2'],
          ] as const) {
            const before = receiver.sent.length;
            receiver.be(mood);
            await more(5);
            await eventually(() => expect(receiver.sent.slice(before).some(({ status }) => status !== 204)).toBe(true));
            await world.kill(sender);
            receiver.be('takes');
            await world.restart(sender);
            await more(5);
          }
          await receiver.away(() => more(5));
          await more(5);
        } while (performance.now() < end);
      };
      await more(5);
      await Promise.race([suffer(), load.done]);
      await load.stop();

      const events = (await logOf(client)).filter(({ seq, type }) => seq > from && /^(card|comment)\./.test(type));
      expectAllOnce(events, load.acknowledged);
      const ids = events.map(({ id }) => id).sort();
      const takenOnce = () => [...new Map(receiver.taken().map((one) => [one.event.id, one])).values()];
      await eventually(
        () =>
          expect(
            takenOnce()
              .map(({ event }) => event.id)
              .sort(),
          ).toEqual(ids),
        { timeoutMs: longestWaitMs, everyMs: 500 },
      );

      const told = new Map(events.map((event) => [event.id, event]));
      const lastOfCard = new Map<string, number>();
      for (const one of receiver.taken()) {
        expectSigned(one, webhook.secret);
        expect(one.event).toEqual(told.get(one.event.id));
      }
      // A sender that was killed before it noted a delivery sends it again; the first one counts.
      const first = new Map<string, Body>();
      for (const { event } of receiver.taken()) if (!first.has(event.id)) first.set(event.id, event);
      for (const { card, seq } of first.values()) {
        expect(seq).toBeGreaterThan(lastOfCard.get(card.id) ?? 0);
        lastOfCard.set(card.id, seq);
      }
      expect(receiver.sent.filter(({ status }) => status === 500).length).toBeGreaterThan(0);
      expect(receiver.sent.filter(({ status }) => status === undefined).length).toBeGreaterThan(0);
    });

    it('a receiver gets nothing of a board that its webhook’s creator does not see', async () => {
      const world = worldOf();
      const { client: owner, column } = await workspaceWithBoard(world);
      const stranger = await clientOf(world, { workspace: owner.workspaceId });
      const receiver = await startReceiver();
      await stranger.data(stranger.post('/webhooks', { body: { url: receiver.url } }));
      const hidden = await owner.data(owner.post('/boards', { body: { name: 'secret', visibility: 'private' } }));
      const there = await owner.data(owner.post(`/boards/${hidden.id}/columns`, { body: { name: 'secret column' } }));
      let card = await owner.createCard(there.id, 'secret card');
      card = await owner.data(
        owner.patch(`/cards/${card.id}`, { ifMatch: card.version, body: { title: 'in the open' } }),
      );
      const move = { ifMatch: card.version, body: { column_id: column.id } };
      await owner.data(owner.post(`/cards/${card.id}/move`, move));
      await eventually(() => expect(receiver.taken().map(({ event }) => event.type)).toContain('card.moved'));
      const texts = receiver.sent.map(({ text }) => text).join();
      for (const secret of [hidden.id, there.id, 'secret']) expect(texts).not.toContain(secret);
    });
  });
