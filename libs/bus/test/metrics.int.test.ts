import { conflict } from '@cardinal/contracts';
import { serveMetrics } from '@cardinal/runtime';
import { type Scraped, scrape } from '@cardinal/testkit';
import { afterAll, expect, it } from 'vitest';
import { anyContract, signal, useBroker } from './fixtures.ts';

const broker = useBroker();
const metrics = await serveMetrics({ port: 0, host: '127.0.0.1', logger: broker.logger });
afterAll(() => metrics.close());

const scraped = (): Promise<Scraped> => scrape(`http://127.0.0.1:${metrics.port}/metrics`);

it('served requests are counted by subject and code, timed, and shown while they are in hand', async () => {
  const contract = anyContract();
  const bus = await broker.bus();
  const [begun, over] = [signal(), signal()];
  bus.serve(contract, async ({ n }) => {
    if (n === 1) throw conflict('No');
    if (n === 2) throw new Error('broken');
    begun.send();
    await over.sent;
    return { n };
  });
  await expect(bus.call(contract, { n: 1 })).rejects.toThrow('No');
  await expect(bus.call(contract, { n: 2 })).rejects.toThrow();
  const before = (await scraped()).value('cardinal_bus_requests_in_flight') ?? Number.NaN;
  const answer = bus.call(contract, { n: 3 });
  await begun.sent;
  expect((await scraped()).value('cardinal_bus_requests_in_flight')).toBe(before + 1);
  over.send();
  await answer;

  const { subject } = contract;
  const { value } = await scraped();
  for (const code of ['conflict', 'internal', 'ok']) {
    expect(value('cardinal_bus_requests_total', { subject, code })).toBe(1);
  }
  expect(value('cardinal_bus_request_duration_seconds_count', { subject })).toBe(3);
  expect(value('cardinal_bus_requests_in_flight')).toBe(before);
});
