import { connect } from 'node:net';
import { getCard, notFound } from '@cardinal/contracts';
import { createLogger, serveMetrics } from '@cardinal/runtime';
import { eventually, scrape } from '@cardinal/testkit';
import { v7 } from 'uuid';
import { afterAll, expect, it } from 'vitest';
import { startGateway } from './gateway.ts';

const gateway = await startGateway();
const logger = createLogger({ service: 'gateway', level: 'silent' });
const metrics = await serveMetrics({ port: 0, host: '127.0.0.1', logger });
afterAll(async () => {
  await metrics.close();
  await gateway.stop();
});

/** How many requests of an operation ended with the status, and how many in all. */
const ended = async (operation: string, code: number) => {
  const { value } = await scrape(`http://127.0.0.1:${metrics.port}/metrics`);
  return {
    ended: value('cardinal_http_requests_total', { operation, code: String(code) }) ?? 0,
    timed: value('cardinal_http_request_duration_seconds_count', { operation }) ?? 0,
    inFlight: value('cardinal_http_requests_in_flight'),
  };
};

it('counts a request by its operation and status, also where it reached no service', async () => {
  gateway.serve(getCard, () => {
    throw notFound('Card');
  });
  const path = `/cards/${v7()}`;
  const before = { found: await ended('getCard', 404), refused: await ended('getCard', 401) };
  expect((await gateway.call({ path })).status).toBe(404);
  expect((await gateway.call({ path, token: false })).status).toBe(401);
  await eventually(async () => {
    const after = await ended('getCard', 404);
    expect(after).toEqual({
      ended: before.found.ended + 1,
      timed: before.found.timed + 2,
      inFlight: before.found.inFlight,
    });
    expect((await ended('getCard', 401)).ended).toBe(before.refused.ended + 1);
  });
});

it('counts requests of no operation as none, so that clients cannot create label values', async () => {
  const before = (await ended('none', 404)).ended;
  await gateway.call({ path: `/nothing/${v7()}` });
  await gateway.root({ path: `/nothing/${v7()}` });
  await eventually(async () => expect((await ended('none', 404)).ended).toBe(before + 2));
});

it('counts a client that went away before its answer as 499', async () => {
  const begun = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  gateway.serve(getCard, async () => {
    begun.resolve();
    await over.promise;
    throw notFound('Card');
  });
  const before = await ended('getCard', 499);
  const token = await gateway.tokenFor({});
  const socket = connect(gateway.port, '127.0.0.1', () =>
    socket.write(`GET /api/kanban/v1/cards/${v7()} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`),
  );
  await begun.promise;
  expect((await ended('getCard', 499)).inFlight).toBe((before.inFlight ?? 0) + 1);
  socket.destroy();
  await eventually(async () =>
    expect(await ended('getCard', 499)).toMatchObject({ ended: before.ended + 1, inFlight: before.inFlight }),
  );
  over.resolve();
});
