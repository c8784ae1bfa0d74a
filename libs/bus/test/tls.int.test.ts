import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger } from '@cardinal/runtime';
import { type Nats, startNats } from '@cardinal/servers';
import { atEndOfFile, certificateAuthority, scratchFolder } from '@cardinal/testkit';
import { expect, it } from 'vitest';
import { type Broker, checkBroker, connectBus, declareRegisters } from '../src/index.ts';

const users = [{ name: 'test', password: 'secret' }];
const servers: Record<'plain' | 'demanding' | 'offering' | 'misnamed', Nats> = {} as never;

const start = async (further?: string) => {
  const server = await startNats({ dir: scratchFolder('nats'), users, ...(further ? { further } : {}) });
  atEndOfFile(() => server.stop('SIGKILL'));
  return server;
};
const tls = async (name: string) => {
  const { certificate, key } = await authority.issue(name);
  return `tls: { cert_file: ${JSON.stringify(certificate)}, key_file: ${JSON.stringify(key)} }\n`;
};

const [authority, other] = await Promise.all([certificateAuthority(), certificateAuthority()]);
const files = await tls('127.0.0.1');
servers.plain = await start();
servers.demanding = await start(files);
servers.offering = await start(`${files}allow_non_tls: true\n`);
servers.misnamed = await start(await tls('another.example'));

const at = (server: keyof typeof servers, ca?: string, scheme = 'tls'): Broker => ({
  url: servers[server].url.replace('nats:', `${scheme}:`),
  ca,
});

it.each<[string, () => Broker]>([
  ['demands TLS', () => at('demanding', authority.file)],
  ['offers TLS', () => at('offering', authority.file)],
  ['offers TLS, where only NATS_CA is set', () => at('offering', authority.file, 'nats')],
])('a server that %s is spoken to by TLS', async (_, broker) => {
  await checkBroker(broker(), { jetStream: true });
  await declareRegisters(broker());
  expect(await declareRegisters(broker())).toEqual([]);
  const logger = createLogger({ service: 'test', level: 'silent' });
  const bus = await connectBus({ ...broker(), name: 'test', logger });
  await bus.ping();
  await bus.drain();
});

const garbage = () => {
  const file = join(scratchFolder('ca'), 'garbage.pem');
  writeFileSync(file, 'no certificate');
  return file;
};

it.each<[string, () => Broker, RegExp]>([
  [
    'a server without TLS',
    () => at('plain'),
    /^NATS_URL: NATS at 127\.0\.0\.1:\d+ offers no TLS; give it a certificate, or write nats:\/\/ and leave NATS_CA out$/,
  ],
  ['a server without TLS, where only NATS_CA is set', () => at('plain', authority.file, 'nats'), /offers no TLS/],
  [
    'a certificate of an authority that is not named',
    () => at('demanding'),
    /^NATS_URL: NATS at 127\.0\.0\.1:\d+ has a certificate that is not trusted here \([A-Z_]+\); name the file of its authority in NATS_CA$/,
  ],
  ['the same, where TLS was not asked for', () => at('demanding', undefined, 'nats'), /is not trusted here/],
  [
    'a certificate of another authority',
    () => at('offering', other.file),
    /^NATS_URL: NATS at 127\.0\.0\.1:\d+ has a certificate that NATS_CA does not vouch for \([A-Z_]+\); correct the file or the certificate$/,
  ],
  [
    'a certificate of another server',
    () => at('misnamed', authority.file),
    /^NATS_URL: NATS at 127\.0\.0\.1:\d+ has a certificate for other names \(DNS:another\.example\); use one of them, or correct the certificate$/,
  ],
  [
    'a missing file of the authority',
    () => at('demanding', '/nowhere/ca.pem'),
    /^NATS_CA: \/nowhere\/ca\.pem cannot be read \(ENOENT\); correct it$/,
  ],
  [
    'a file without certificates',
    () => at('demanding', garbage()),
    /^NATS_CA: \S+ holds no certificate; it must be PEM$/,
  ],
])('%s is a clear error, and nothing is sent in the clear', async (_, broker, message) => {
  const refused = await checkBroker(broker()).catch((error) => error);
  expect(refused).toMatchObject({ kind: 'wrong', message: expect.stringMatching(message) });
  expect(refused.message).not.toContain('secret');
  await expect(declareRegisters(broker())).rejects.toThrow();
});

it('several servers have one user', async () => {
  const [one, two] = [servers.plain.url, servers.offering.url];
  await expect(checkBroker({ url: `${one},${two.replace('test:secret', 'else:secret')}` })).rejects.toThrow(
    'NATS_URL: names several users, but all servers of a cluster know the same; write it into the first URL alone',
  );
});
