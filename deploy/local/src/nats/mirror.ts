import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { type DebianPackage, findPackage, hashInRelease, type Suite, suitesOf } from './packages-index.ts';
import { verifySignature } from './signature.ts';

const run = promisify(execFile);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

const download = async (url: string): Promise<Buffer | undefined> => {
  const response = await fetch(url, { signal: AbortSignal.timeout(120_000) }).catch(() => undefined);
  return response?.ok ? Buffer.from(await response.arrayBuffer()) : undefined;
};

const aptLines = async (): Promise<string[]> => {
  try {
    const { stdout } = await run('apt-get', [
      'indextargets',
      '--format',
      '$(SITE) $(RELEASE) $(COMPONENT)',
      'Created-By: Packages',
    ]);
    return stdout.split('\n');
  } catch {
    return [];
  }
};

/** The signed release file vouches for the index, the index for the package. */
const lookIn = async ({ site, suite, component }: Suite, architecture: string): Promise<DebianPackage | undefined> => {
  const release = await download(`${site}/dists/${suite}/InRelease`);
  if (!release || !(await verifySignature(release))) return undefined;
  const path = `${component}/binary-${architecture}/Packages.gz`;
  const expected = hashInRelease(release.toString('utf8'), path);
  const index = expected && (await download(`${site}/dists/${suite}/${path}`));
  if (!index || sha256(index) !== expected) return undefined;
  return findPackage(gunzipSync(index).toString('utf8'), 'nats-server');
};

const unpack = async (package_: DebianPackage, site: string, cache: string): Promise<string | undefined> => {
  const bytes = await download(`${site}/${package_.filename}`);
  if (!bytes || sha256(bytes) !== package_.sha256) return undefined;
  const scratch = mkdtempSync(join(cache, 'unpack-'));
  try {
    const file = join(scratch, 'nats-server.deb');
    writeFileSync(file, bytes);
    await run('dpkg-deb', ['-x', file, scratch]);
    const program = ['usr/sbin/nats-server', 'usr/bin/nats-server'].map((path) => join(scratch, path)).find(existsSync);
    if (!program) return undefined;
    const target = join(cache, `nats-server-${package_.version.replace(/[^\w.-]/g, '_')}`);
    copyFileSync(program, join(scratch, 'ready'));
    renameSync(join(scratch, 'ready'), target);
    return target;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
};

/**
 * Unpacks the newest nats-server of the apt mirror that this machine uses, without root.
 * @param cache folder that keeps the program; a usable one in it is taken at once
 * @param usable tells whether a program runs here and is new enough
 * @returns the path of the program, undefined where there is no apt or the mirror has none that runs
 */
export const unpackFromMirror = async (
  cache: string,
  usable: (path: string) => Promise<boolean>,
  tell: (line: string) => void,
): Promise<string | undefined> => {
  mkdirSync(cache, { recursive: true });
  for (const name of readdirSync(cache).sort().reverse()) {
    if (name.startsWith('nats-server-') && (await usable(join(cache, name)))) return join(cache, name);
  }
  const suites = suitesOf(await aptLines());
  if (suites.length === 0) return undefined;
  const architecture = (await run('dpkg', ['--print-architecture'])).stdout.trim();
  for (const suite of suites) {
    tell(`looking for nats-server in ${suite.suite} at ${suite.site}`);
    const found = await lookIn(suite, architecture);
    const program = found && (await unpack(found, suite.site, cache));
    if (program && (await usable(program))) return program;
  }
  return undefined;
};
