import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { send } from './send.ts';

const sender = { client: 1, workspace: 'w', token: 't' };
const wish = { operation: 'listBoards', method: 'GET', path: '/boards' } as const;

it.each([502, 504])('takes %i of a proxy for a lost answer, of a gateway for what it is', async (status) => {
  const server = createServer((_, response) => response.writeHead(status).end('{}'));
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const gateway = { name: 'one', baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  const answered = await send(gateway, sender, wish, () => {});
  expect(answered.answer?.status).toBe(status);
  const lost = await send({ ...gateway, isProxy: true }, sender, wish, () => {});
  expect(lost).toMatchObject({ lost: `the proxy answered ${status}` });
  expect(lost.answer).toBeUndefined();
});
