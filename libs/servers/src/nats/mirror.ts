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
import { archiveKeys, signedPart } from './signature.ts';

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

/**
 * The release file of a suite: its signed part, or where nothing here can verify that, what the mirror itself says over
 * TLS; undefined where neither can be had.
 */
const releaseOf = async ({ site, suite }: Suite, keys: string[] | undefined): Promise<string | undefined> => {
  const path = `/dists/${suite}/InRelease`;
  if (!keys) return (await download(`${site.replace(/^http:/, 'https:')}${path}`))?.toString('utf8');
  const release = await download(`${site}${path}`);
  return release && signedPart(release, keys);
};

/** The release file vouches for the index, the index for the package. */
const lookIn = async (release: string, suite: Suite, architecture: string): Promise<DebianPackage | undefined> => {
  const path = `${suite.component}/binary-${architecture}/Packages.gz`;
  const expected = hashInRelease(release, path);
  const index = expected && (await download(`${suite.site}/dists/${suite.suite}/${path}`));
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

/** Nothing vouches for what the mirror has. */
export class Unverified extends Error {}

/**
 * Unpacks the newest nats-server of the apt mirror that this machine uses, without root. Nothing is run for which the
 * distribution's signature does not vouch, or failing the means to verify that, the mirror over TLS.
 * @param cache folder that keeps the program; a usable one in it is taken at once
 * @param usable tells whether a program runs here and is new enough
 * @returns the path of the program, undefined where there is no apt or the mirror has none that runs
 * @throws Unverified where there may be one that cannot be verified
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
  const keys = await archiveKeys();
  if (!keys) tell("no gpgv or no keys of the distribution here: the mirror's word is taken, over TLS only");
  let unverified = 0;
  for (const suite of suites) {
    tell(`looking for nats-server in ${suite.suite} at ${suite.site}`);
    const release = await releaseOf(suite, keys);
    if (!release) unverified += 1;
    const found = release && (await lookIn(release, suite, architecture));
    const program = found && (await unpack(found, suite.site, cache));
    if (program && (await usable(program))) return program;
  }
  if (unverified < suites.length) return undefined;
  const why = keys ? 'gives nothing that its signature vouches for' : 'does not answer over TLS';
  const wayOut = keys ? '' : '. Install gpgv and debian-archive-keyring, or else';
  throw new Unverified(`no nats-server can be verified, as ${suites[0]?.site} ${why}${wayOut}`);
};
