import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { compileCache, eventually, scratchFolder } from '@cardinal/testkit';
import { Webhook } from 'standardwebhooks';
import { expect, it, onTestFinished } from 'vitest';

const source = join(import.meta.dirname, '../src/index.ts');
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
};

it('the receiver of the README takes genuine deliveries alone', async () => {
  const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');
  const [, code = ''] = /## Webhooks\n\n```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const file = join(scratchFolder('receiver'), 'receiver.ts');
  await writeFile(file, code.replace("'@cardinal/client'", JSON.stringify(source)));
  const port = await freePort();
  const receiver = spawn(process.execPath, [file], {
    env: { ...compileCache, PORT: String(port), WEBHOOK_SECRET: secret },
  });
  onTestFinished(() => void receiver.kill());
  let printed = '';
  receiver.stdout.on('data', (text) => (printed += text));
  const url = `http://127.0.0.1:${port}/`;
  await eventually(() => fetch(url));

  const body = JSON.stringify({ id: 'event-1', type: 'card.created' });
  const deliver = async (text: string, sentAt = new Date()) => {
    const headers = {
      'webhook-id': 'event-1',
      'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign('event-1', sentAt, body),
    };
    return (await fetch(url, { method: 'POST', headers, body: text })).status;
  };
  expect(await deliver(body)).toBe(204);
  expect(await deliver(`${body} `)).toBe(400);
  expect(await deliver(body, new Date(Date.now() - 600_000))).toBe(400);
  expect(printed).toBe('event-1 card.created\n');
});
