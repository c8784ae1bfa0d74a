import { once } from 'node:events';
import { connect } from 'node:net';
import { eventually } from '@cardinal/testkit';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { startStreams } from './follower.ts';

describe('places', () => {
  it('are limited for a user and in all, and free again when a stream has ended or was refused', async () => {
    const { log, open, refusal } = await startStreams({ STREAMS_PER_USER: '2', STREAMS: '3' });
    const [user, other] = [v7(), v7()];
    // A place is free again when the gateway has seen that an answer is over, a moment after its client.
    const refusedWith = (status: number, query: string) =>
      eventually(async () => expect((await refusal({ user, query })).status).toBe(status));
    const placed = () =>
      eventually(async () => {
        const follower = await open({ user });
        expect(follower.status).toBe(200);
        return follower;
      });
    for (let n = 0; n < 4; n += 1) await refusedWith(400, `?after=${10 ** 3}&types=no`);
    // The log ends at 5, so a new follower misses nothing.
    log.note(Array.from({ length: 5 }, () => ({})));
    log.keepFrom(5);
    for (let n = 0; n < 4; n += 1) await refusedWith(410, '?after=1');
    const [first] = [await placed(), await placed()];
    const refused = await refusal({ user });
    expect(refused).toMatchObject({ status: 429, error: { code: 'rate_limited' } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    await open({ user: other });
    expect(await refusal({ user: v7() })).toMatchObject({
      status: 429,
      error: { message: 'Too many streams are open' },
    });
    first.close();
    await placed();
  });

  it('of a gateway that stops end at once, and clients are to reconnect soon', async () => {
    const { gateway, open, refusal } = await startStreams();
    const followers = await Promise.all(Array.from({ length: 20 }, () => open()));
    // Somebody else's connection, for which it waits a moment.
    const other = connect(gateway.port, '127.0.0.1');
    await once(other, 'connect');
    const begun = performance.now();
    const stopped = gateway.app.close();
    expect(await refusal({})).toMatchObject({ status: 503, headers: { 'retry-after': '0' } });
    await eventually(() => expect(followers.map(({ ended }) => ended())).toEqual(followers.map(() => 'whole')));
    expect(performance.now() - begun).toBeLessThan(1_000);
    for (const follower of followers) expect(Number(follower.blocks.at(-1)?.retry)).toBeLessThan(1_000);
    await stopped;
  });
});

describe('a client that does not take what is sent', () => {
  it('is cut off, delays nobody else, and continues from what it has without a gap', async () => {
    const { gateway, log, open } = await startStreams({ STREAM_WAITING_BYTES: '100000' });
    const [slow, quick] = [v7(), v7()];
    const follower = await open({ user: quick });
    const socket = connect(gateway.port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.write(
      `GET /api/kanban/v1/events/stream HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${await gateway.tokenFor({ user: slow })}\r\n\r\n`,
    );
    chunks.push(...(await once(socket, 'data')));
    socket.pause();
    // Far more than what the system keeps for a connection.
    const size = 50_000;
    for (let n = 0; n < 600; n += 1) {
      log.note([{ text: JSON.stringify({ seq: n + 1, filler: 'x'.repeat(size) }) }]);
      await follower.until(n + 1);
    }
    socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => {});
    await once(socket.resume(), 'close');
    const had = [
      ...Buffer.concat(chunks)
        .toString()
        .matchAll(/^id: (\d+)\nevent: [\w.]+\ndata: .*"\}\n\n/gm),
    ].map(([, id]) => Number(id));
    expect(had.length).toBeLessThan(600);
    expect(had).toEqual(Array.from({ length: had.length }, (_, at) => at + 1));
    const again = await open({ user: slow, headers: { 'last-event-id': String(had.at(-1) ?? 0) } });
    await again.until(600 - had.length);
    expect([...had, ...again.seqs()]).toEqual(follower.seqs());
    expect(follower.ended()).toBeUndefined();
  });
});
