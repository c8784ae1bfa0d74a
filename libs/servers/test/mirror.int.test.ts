import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { scratchFolder } from '@cardinal/testkit';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { searchPath } from '../src/config.ts';
import { unpackFromMirror } from '../src/nats/mirror.ts';
import { archiveKeys } from '../src/nats/signature.ts';

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');
const program = '#!/bin/sh\necho nats-server: v2.11.0\n';
const index = gzipSync(
  `Package: nats-server\nVersion: 2.11.0\nFilename: pool/nats.deb\nSHA256: ${sha256(program)}\n\n`,
);
const path = 'main/binary-test/Packages.gz';
const release = `Origin: Debian\nSHA256:\n ${sha256(index)} ${index.length} ${path}\n`;

const files: Record<string, string | Buffer> = {
  '/dists/sid/InRelease': release,
  [`/dists/sid/${path}`]: index,
  '/pool/nats.deb': program,
};

/** A mirror, and a PATH with the programs that unpacking takes; `gpgv` where one is given. */
const mirror = async ({ tls = false, gpgv }: { tls?: boolean; gpgv?: string }) => {
  const asked: string[] = [];
  const answer: RequestListener = (request, response) => {
    asked.push(request.url ?? '');
    const file = files[request.url ?? ''];
    response.writeHead(file ? 200 : 404).end(file);
  };
  const server: Server = tls ? createTlsServer(certificate(), answer) : createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const site = `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const bin = scratchFolder('bin');
  const script = (name: string, text: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\nPATH=${searchPath().join(':')}\n${text}\n`, { mode: 0o755 });
  script('apt-get', `echo ${site} bookworm main`);
  script('dpkg', 'echo test');
  // The package is the program itself.
  script(
    'dpkg-deb',
    'mkdir -p "$3/usr/sbin" && cp "$2" "$3/usr/sbin/nats-server" && chmod +x "$3/usr/sbin/nats-server"',
  );
  if (gpgv) script('gpgv', `[ "$1" = --version ] && exit 0\n${gpgv}`);
  vi.stubEnv('PATH', bin);

  const cache = scratchFolder('cache');
  const told: string[] = [];
  return {
    asked,
    told,
    cached: () => readdirSync(cache),
    unpack: () =>
      unpackFromMirror(
        cache,
        async () => true,
        (line) => told.push(line),
      ),
  };
};

/** A certificate for loopback that this process trusts from now on. */
const certificate = () => {
  const dir = scratchFolder('tls');
  mkdirSync(dir, { recursive: true });
  const words = 'req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1';
  const to = ['-keyout', join(dir, 'key'), '-out', join(dir, 'cert')];
  execFileSync('openssl', [...words.split(' '), ...to], { stdio: 'pipe' });
  const [key, cert] = [readFileSync(join(dir, 'key'), 'utf8'), readFileSync(join(dir, 'cert'), 'utf8')];
  setDefaultCACertificates([...getCACertificates('default'), cert]);
  return { key, cert };
};

afterEach(() => vi.unstubAllEnvs());

describe('where there is no gpgv', () => {
  it('takes nothing from a mirror without TLS, and says what to do', async () => {
    const { unpack, asked, told, cached } = await mirror({});
    await expect(unpack()).rejects.toThrow(
      /no nats-server can be verified, .* TLS. Install gpgv and debian-archive-keyr/,
    );
    expect({ asked, cached: cached() }).toEqual({ asked: [], cached: [] });
    expect(told[0]).toContain('over TLS only');
  });

  it("takes the mirror's word over TLS", async () => {
    const { unpack, cached } = await mirror({ tls: true });
    expect(await unpack()).toContain('nats-server-2.11.0');
    expect(cached()).toEqual(['nats-server-2.11.0']);
  });
});

describe.skipIf((await archiveKeys()) === undefined)('where there is gpgv', () => {
  it('takes nothing that it does not vouch for', async () => {
    const { unpack, cached, asked } = await mirror({ gpgv: 'exit 1' });
    await expect(unpack()).rejects.toThrow('no nats-server can be verified');
    expect(cached()).toEqual([]);
    expect(asked).not.toContain('/pool/nats.deb');
  });

  it('believes the signed part alone', async () => {
    const { unpack, asked } = await mirror({ gpgv: 'echo Origin: Debian' });
    expect(await unpack()).toBeUndefined();
    expect(asked).not.toContain('/pool/nats.deb');
  });

  it('takes what it vouches for', async () => {
    const { unpack } = await mirror({ gpgv: 'for last; do :; done; cat "$last"' });
    expect(await unpack()).toContain('nats-server-2.11.0');
  });
});
