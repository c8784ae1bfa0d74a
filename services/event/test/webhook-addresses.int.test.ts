import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pingWebhook } from '@cardinal/contracts';
import { aCaller, aCommand, atEndOfFile, eventually } from '@cardinal/testkit';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createAddressRule, parseNetworks } from '../src/webhooks/addresses.ts';
import type { ResolveName } from '../src/webhooks/names.ts';
import { createSender, type SenderOptions } from '../src/webhooks/sender.ts';
import { messageTo, startReceiver } from './support/receiver.ts';
import { startHarness } from './support/webhook-harness.ts';

/** Host names and the addresses that they resolve to. */
const names: Record<string, string[]> = {
  'inner.example': ['127.0.0.1'],
  'private.example': ['10.0.0.1'],
  'both.example': ['8.8.8.8', '127.0.0.1'],
  'six.example': ['::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'nat64.example': ['64:ff9b::7f00:1'],
  'metadata.example': ['169.254.169.254'],
};
const resolving =
  (find: (name: string) => string[] | undefined): ResolveName =>
  async (name) =>
    (find(name) ?? ['127.0.0.1']).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

/** An internal server at 127.0.0.1 and ::1, which the sender must not reach. */
const internal = { port: 0, connections: 0 };
beforeAll(async () => {
  const server = createServer((_, response) => response.end('secret'));
  server.on('connection', () => {
    internal.connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '::', resolve));
  internal.port = (server.address() as AddressInfo).port;
  atEndOfFile(() => new Promise((resolve) => server.close(resolve)));
});

const hosts = [
  ...['127.0.0.1', '127.0.0.1.', '127.1', '2130706433', '0x7f000001', '0x7f.0.0.1', '0177.0.0.1', '017700000001'],
  ...['127.255.255.254', '0.0.0.0', '0', '10.0.0.1', '172.16.0.1', '192.168.0.1', '100.64.0.1', '169.254.169.254'],
  ...['%31%32%37.0.0.1', '１２７.0.0.1', '127。0。0。1', '①②⑦.0.0.1', '168.63.129.16', '224.0.0.1', '255.255.255.255'],
  ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:127.0.0.1]', '[::127.0.0.1]'],
  ...[
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::]',
    '[fe80::1]',
    '[fd00:ec2::254]',
  ],
  ...[
    '[fec0::1]',
    '[ff02::1]',
    '[100::1]',
    '[::ffff:a9fe:a9fe]',
    '198.18.0.1',
    '192.0.0.192',
    'localhost',
    'localhost.',
    'LOCALHOST',
    'a.localhost',
    ...Object.keys(names),
  ],
];

describe('a host with an internal address', async () => {
  const resolve = resolving((name) => names[name]);
  const harness = await startHarness({ WEBHOOK_NETWORKS: [] }, { resolve, timeoutMs: 5_000 });
  it.each(hosts)('%s is not connected to, and the list of deliveries has the error', async (host) => {
    const by = aCaller();
    const { id: webhook_id } = await harness.hook(by, `http://${host}:${internal.port}/`);
    await harness.bus.call(pingWebhook, { ...by, webhook_id, command: aCommand() });
    await eventually(async () =>
      expect(await harness.deliveries(by, webhook_id)).toMatchObject([
        { status: null, answer: null, error: 'the host is at no public address' },
      ]),
    );
    expect(internal.connections).toBe(0);
  });
});

it('the error of an unreachable host does not contain its address', async () => {
  // The system refuses connections to a broadcast address.
  const resolve = resolving(() => ['255.255.255.255']);
  const sender = createSender({ isAllowed: () => true, resolve, timeoutMs: 60_000 });
  onTestFinished(() => sender.close());
  expect(await sender.send(messageTo('http://a.example/'))).toMatchObject({ error: 'the host cannot be reached' });
});

describe('the sender connects to the address that it checked', () => {
  const allowed = createAddressRule(parseNetworks('127.0.0.1/32'));
  const senderWith = (options: Partial<SenderOptions>) => {
    const sender = createSender({ isAllowed: allowed, timeoutMs: 5_000, ...options });
    onTestFinished(() => sender.close());
    return sender;
  };

  it('when DNS rebinding changes the address of the name', async () => {
    const receiver = await startReceiver();
    const lookedUp: string[] = [];
    const sender = senderWith({
      resolve: resolving((name) => {
        lookedUp.push(name);
        return lookedUp.length === 1 ? ['127.0.0.1'] : ['::1'];
      }),
    });
    const url = `http://rebound.example:${receiver.port}/`;
    expect(await sender.send(messageTo(url))).toMatchObject({ status: 200, error: null });
    expect(lookedUp).toEqual(['rebound.example']);
    // Attempts reuse the open connection. A new connection looks the name up again.
    await receiver.stop();
    await eventually(async () =>
      expect(await sender.send(messageTo(url))).toMatchObject({
        status: null,
        error: 'the host is at no public address',
      }),
    );
  });

  it('whatever proxies the environment sets', async () => {
    const [proxy, receiver] = [await startReceiver(), await startReceiver()];
    for (const name of ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'ALL_PROXY']) {
      vi.stubEnv(name, proxy.url);
    }
    vi.stubEnv('NODE_USE_ENV_PROXY', '1');
    onTestFinished(() => void vi.unstubAllEnvs());
    const sender = senderWith({});
    expect(await sender.send(messageTo(receiver.url))).toMatchObject({ status: 200 });
    expect([proxy.connections, receiver.received.length]).toEqual([0, 1]);
  });
});
