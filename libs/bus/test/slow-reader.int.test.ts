import { headers, type Msg } from 'nats';
import { expect, it, vi } from 'vitest';
import { anyContract, soon, useBroker } from './fixtures.ts';

const broker = useBroker();
const mebibyte = 1_048_576;
const sizeOf = (messages: Msg[]) => messages.reduce((sum, { data }) => sum + data.length, 0);

/** A service with answers of the requested size, and a caller that acknowledges them itself. */
const setUp = async () => {
  const contract = anyContract();
  const [server, client, plain] = [await broker.bus(), await broker.bus(), await broker.plain()];
  server.serve(contract, async ({ n }) => ({ n, text: 'x'.repeat(n) }));
  await server.ping();
  const got: Msg[] = [];
  plain.subscribe('_INBOX.slow.*', { callback: (_, message) => got.push(message) });
  // An answer is dropped at its deadline: on a busy machine the reader takes long.
  const patient = headers();
  patient.append('Cardinal-Time-Left', '60000');
  let last = 0;
  const ask = (bytes: number) => {
    last += 1;
    const reply = `_INBOX.slow.${last}`;
    plain.publish(contract.subject, JSON.stringify([{ n: bytes }]), { reply, headers: patient });
  };
  /** The answers that the slow caller has got once the service has answered everything before. */
  const settled = async () => {
    await plain.flush();
    await client.call(contract, { n: 1 });
    await plain.flush();
    return got;
  };
  return { contract, client, got, ask, settled };
};

it('gets no more than it reads, delays no other caller, and gets small answers at once', async () => {
  const { contract, client, got, ask, settled } = await setUp();
  for (let at = 0; at < 40; at += 1) ask(mebibyte / 2);
  ask(100);
  const before = sizeOf(await settled());
  expect(before).toBeGreaterThan(4 * mebibyte);
  expect(before).toBeLessThan(5 * mebibyte);
  expect(got.filter(({ data }) => data.length < 1_000)).toHaveLength(1);
  expect((await client.call(contract, { n: mebibyte - 2_000 })).text).toHaveLength(mebibyte - 2_000);

  let read = 0;
  await vi.waitFor(() => {
    for (; read < got.length; read += 1) got[read]?.respond();
    expect(got).toHaveLength(41);
  }, soon);
  expect(broker.lines.filter(({ level }) => level === 'error')).toEqual([]);
});

it('gets refusals once too many large answers wait for it', async () => {
  const { got, ask, settled } = await setUp();
  for (let at = 0; at < 80; at += 1) ask(mebibyte - 2_000);
  await vi.waitFor(async () => expect(sizeOf(await settled())).toBeGreaterThan(4 * mebibyte), soon);
  await vi.waitFor(() => expect(got.filter(({ data }) => data.length < 1_000).length).toBeGreaterThan(5), soon);
  const refusals = got.filter(({ data }) => data.length < 1_000).flatMap((message) => message.json<unknown[]>());
  expect(refusals).toContainEqual({ item: 0, error: expect.objectContaining({ code: 'unavailable' }) });
});
