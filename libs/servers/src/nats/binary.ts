import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder, searchPath } from '../config.ts';
import { machineSources, whyNot, withPackages } from '../debian.ts';

const run = promisify(execFile);

/** The oldest nats-server that serves us: multi-valued batches and consumer features of 2.10. */
const oldest = [2, 10] as const;

/** True for what a nats-server that we can use prints of its version: `nats-server: v2.15.1` and its like. */
export const isUsable = (text: string): boolean => {
  const [, major, minor] = /\bv?(\d+)\.(\d+)\.\d+/.exec(text)?.map(Number) ?? [];
  if (major === undefined || minor === undefined) return false;
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
};

/** True when the program at `path` runs here and is new enough. */
const runs = (path: string): Promise<boolean> =>
  run(path, ['--version'], { timeout: 10_000 }).then(
    ({ stdout, stderr }) => isUsable(stdout + stderr),
    () => false,
  );

/**
 * Puts the nats-server of an apt source into the cache; apt verifies it.
 * @returns its path there
 * @throws what apt or dpkg say where it cannot be had
 */
const fetchFrom = (source: string, cache: string): Promise<string> =>
  withPackages(source, ['nats-server'], cache, (root, [deb = '']) => {
    const program = ['usr/sbin/nats-server', 'usr/bin/nats-server'].map((path) => join(root, path)).find(existsSync);
    const target = join(cache, `nats-server-${deb.split('_')[1]}`);
    copyFileSync(program ?? '', join(root, 'ready'));
    renameSync(join(root, 'ready'), target);
    return target;
  });

/** A source as apt writes it, for people. */
const placeOf = (source: string): string => {
  const [site = '', suite = ''] = source.replace(/^deb (\[[^\]]*\] )?/, '').split(' ');
  return `the packages of ${suite} at ${site}`;
};

const waysOut =
  '`brew install nats-server`, or put the binary from https://github.com/nats-io/nats-server/releases on the PATH';

/**
 * A nats-server of version 2.10 or later: one on the PATH, the one unpacked earlier, or the newest Debian package of
 * the machine's own mirror. Nothing is run for which the distribution's signature does not vouch.
 * @param report receives a line when something is fetched
 * @throws Error of one line that says how to get one
 */
export const natsBinary = async (
  report: (line: string) => void = () => {},
  { cache = cacheFolder, sources = machineSources } = {},
): Promise<string> => {
  mkdirSync(cache, { recursive: true });
  const onPath = searchPath()
    .map((folder) => join(folder, 'nats-server'))
    .filter(existsSync);
  const kept = readdirSync(cache).filter((name) => name.startsWith('nats-server-'));
  const newest = kept.sort().reverse();
  for (const path of [...onPath, ...newest.map((name) => join(cache, name))]) if (await runs(path)) return path;
  let why = '';
  for (const source of await sources()) {
    report(`no nats-server here; looking for one in ${placeOf(source)}, which may take a minute`);
    try {
      const path = await fetchFrom(source, cache);
      if (await runs(path)) return path;
    } catch (error) {
      why = whyNot(error) ?? why;
    }
  }
  throw new Error(`no nats-server 2.10 or later${why}: ${waysOut}`);
};
