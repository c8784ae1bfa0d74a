import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from '@cardinal/testkit';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { searchPath } from '../src/config.ts';
import { natsBinary } from '../src/nats/binary.ts';

const foldersWith = (program: string) => searchPath().filter((folder) => existsSync(join(folder, program)));
const has = (program: string) => foldersWith(program).length > 0;

/** A mirror as a folder, with a nats-server in it and, where `sign` is given, a signature over its index. */
const mirror = (sign?: (release: string) => void) => {
  const folder = scratchFolder('mirror');
  const sh = (program: string, ...args: string[]) => execFileSync(program, args, { cwd: folder, encoding: 'utf8' });
  const write = (path: string, text: string, mode = 0o644) => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text, { mode });
  };
  write('made/usr/sbin/nats-server', '#!/bin/sh\necho nats-server: v2.11.0\n', 0o755);
  const control =
    'Package: nats-server\nVersion: 2.11.0\nArchitecture: all\nMaintainer: Nobody\nDescription: a server\n';
  write('made/DEBIAN/control', control);
  sh('dpkg-deb', '--build', '--root-owner-group', 'made', 'nats.deb');
  const sum = (path: string) => sh('sha256sum', path).split(' ')[0];
  const size = (path: string) => sh('stat', '-c', '%s', path).trim();
  const index = `dists/sid/main/binary-${sh('dpkg', '--print-architecture').trim()}/Packages`;
  write(index, `${control}Filename: nats.deb\nSize: ${size('nats.deb')}\nSHA256: ${sum('nats.deb')}\n`);
  const listed = index.replace('dists/sid/', '');
  const date = new Date().toUTCString();
  const release = `Origin: Test\nSuite: sid\nDate: ${date}\nComponents: main\nSHA256:\n ${sum(index)} ${size(index)} ${listed}\n`;
  write('dists/sid/Release', release);
  sign?.(join(folder, 'dists/sid/Release'));
  return { folder, cache: scratchFolder('cache') };
};

afterEach(() => vi.unstubAllEnvs());
const leavePath = () => {
  const folders = new Set(foldersWith('nats-server'));
  vi.stubEnv(
    'PATH',
    searchPath()
      .filter((folder) => !folders.has(folder))
      .join(':'),
  );
};

describe.skipIf(!has('apt-get'))('where there is apt', () => {
  it('takes nothing that is not signed, and says what apt says', async () => {
    leavePath();
    const { folder, cache } = mirror();
    const sources = async () => [`deb file:${folder} sid main`];
    const said: string[] = [];
    await expect(natsBinary((line) => said.push(line), { cache, sources })).rejects.toThrow(
      /no nats-server 2\.10 or later \(apt: .*signed/,
    );
    expect(said).toEqual([
      `no nats-server here; looking for one in the packages of sid at file:${folder}, which may take a minute`,
    ]);
    expect(readdirSync(cache)).toEqual([]);
  });

  it.skipIf(!has('gpg'))(
    'takes what the key of the source has signed, and nothing that was changed since',
    async () => {
      leavePath();
      const home = scratchFolder('gpg');
      const gpg = (...args: string[]) =>
        execFileSync('gpg', ['--homedir', home, '--batch', '--quiet', ...args], { stdio: 'pipe' });
      chmodSync(home, 0o700);
      gpg('--passphrase', '', '--quick-generate-key', 'test', 'ed25519', 'sign');
      const keyring = join(home, 'archive.gpg');
      gpg('--output', keyring, '--export', 'test');
      const { folder, cache } = mirror((release) => {
        gpg('--armor', '--detach-sign', '--output', `${release}.gpg`, release);
      });
      const options = { cache, sources: async () => [`deb [signed-by=${keyring}] file:${folder} sid main`] };
      const path = await natsBinary(() => {}, options);
      expect(path).toBe(join(cache, 'nats-server-2.11.0'));
      expect(readdirSync(cache)).toEqual(['nats-server-2.11.0']);
      expect(await natsBinary(() => {}, { cache, sources: async () => [] })).toBe(path);

      writeFileSync(join(folder, 'nats.deb'), 'something else');
      await expect(natsBinary(() => {}, { ...options, cache: scratchFolder('cache') })).rejects.toThrow(
        /no nats-server/,
      );
      execFileSync('gpgconf', ['--homedir', home, '--kill', 'all']);
    },
  );
});

it('says how to get one where there is neither a program nor apt', async () => {
  vi.stubEnv('PATH', scratchFolder('bin'));
  await expect(natsBinary(() => {}, { cache: scratchFolder('cache') })).rejects.toThrow(
    /^no nats-server 2\.10 or later: `brew install nats-server`/,
  );
});
