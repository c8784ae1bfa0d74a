import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { atEndOfFile } from '@cardinal/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAddressRule, parseNetworks } from '../src/webhooks/addresses.ts';
import { createResolveName } from '../src/webhooks/names.ts';
import { createSender } from '../src/webhooks/sender.ts';
import { messageTo, startReceiver } from './support/receiver.ts';

/** DNS (RFC 1035, 4.1): offset of the question, record types, and response codes. */
const [questionAt, a, aaaa] = [12, 1, 28];
const [found, failed, unknown] = [0, 2, 3];

/** Starts a name server. It never answers `hang…`, answers SERVFAIL for `broken…` and NXDOMAIN for `none…`. */
const startNameServer = async () => {
  const socket = createSocket('udp4');
  const asked = new Set<string>();
  socket.on('message', (query, { port, address }) => {
    const labels: string[] = [];
    let at = questionAt;
    for (let size = query[at] ?? 0; size > 0; size = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + size));
      at += size + 1;
    }
    const name = labels.join('.').toLowerCase();
    asked.add(name);
    if (name.startsWith('hang')) return;
    const code = name.startsWith('broken') ? failed : name.startsWith('none') ? unknown : found;
    const addresses: Record<number, Buffer> = {
      [a]: Buffer.from([127, 0, 0, 1]),
      ...(name.startsWith('inner') && { [aaaa]: Buffer.from([...Array(15).fill(0), 1]) }),
    };
    const type = query.readUInt16BE(at + 1);
    const data = code === found ? addresses[type] : undefined;
    const head = Buffer.from([query[0] ?? 0, query[1] ?? 0, 0x81, 0x80 + code, 0, 1, 0, data ? 1 : 0, 0, 0, 0, 0]);
    const answer = data ? [Buffer.from([0xc0, questionAt, 0, type, 0, 1, 0, 0, 0, 9, 0, data.length]), data] : [];
    socket.send(Buffer.concat([head, query.subarray(questionAt, at + 5), ...answer]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  atEndOfFile(() => socket.close());
  return { server: `127.0.0.1:${socket.address().port}`, asked };
};

const { server, asked } = await startNameServer();
const resolve = createResolveName([server]);
const isAllowed = createAddressRule(parseNetworks('127.0.0.1/32'));

describe('createResolveName', () => {
  it('returns the IPv4 and IPv6 addresses of a name', async () => {
    expect(await resolve('good.example')).toEqual([{ address: '127.0.0.1', family: 4 }]);
    expect(await resolve('inner.example')).toEqual([
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
  });

  it('resolves localhost without a name server', async () => {
    for (const name of ['localhost', 'LOCALHOST.', 'a.localhost']) {
      expect((await resolve(name)).map(({ address }) => address)).toEqual(['127.0.0.1', '::1']);
    }
    expect([...asked].filter((name) => name.includes('localhost'))).toEqual([]);
  });
});

describe('sending to a host name', () => {
  const senderWith = () => {
    const sender = createSender({ isAllowed, resolve, timeoutMs: 60_000 });
    onTestFinished(() => sender.close());
    return sender;
  };

  it('is not delayed by names whose servers do not answer', async () => {
    const [sender, receiver] = [senderWith(), await startReceiver()];
    const urlOf = (name: string) => `http://${name}.example:${receiver.port}/`;
    let finished = 0;
    const hanging = Array.from({ length: 40 }, async (_, at) => {
      const result = await sender.send(messageTo(urlOf(`hang${at}`)));
      finished += 1;
      return result;
    });
    expect(await sender.send(messageTo(urlOf('good')))).toMatchObject({ status: 200, error: null });
    expect(finished).toBe(0);
    for (const { status, error } of await Promise.all(hanging)) {
      expect({ status, error }).toEqual({ status: null, error: 'the host could not be looked up' });
    }
    expect(receiver.received).toHaveLength(1);
  });

  it.each([
    ['none', 'the host is unknown'],
    ['broken', 'the host could not be looked up'],
    ['inner', 'the host is at no public address'],
  ])('to %s.example fails with: %s', async (name, error) => {
    const receiver = await startReceiver();
    const sent = await senderWith().send(messageTo(`http://${name}.example:${receiver.port}/`));
    expect(sent).toMatchObject({ status: null, error });
    expect(receiver.received).toEqual([]);
  });
});
