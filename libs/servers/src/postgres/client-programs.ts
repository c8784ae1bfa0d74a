import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder, inheritedEnvironment, searchPath } from '../config.ts';
import { machineSources, whyNot, withPackages } from '../debian.ts';
import { installedBinaries, installedVersion } from './folders.ts';

const run = promisify(execFile);

/** How `pg_dump` and `pg_restore` are run here: a program, and what comes before their name in its arguments. */
interface Found {
  command: (program: string) => [string, ...string[]];
}

/** True where its `pg_dump` is at least as new as our server: an older one refuses to dump it. */
const fits = async ({ command }: Found, major: number): Promise<boolean> => {
  const [file, ...args] = command('pg_dump');
  const said = await run(file, [...args, '--version']).catch(() => ({ stdout: '' }));
  return Number(/ (\d+)\.\d+/.exec(said.stdout)?.[1] ?? 0) >= major;
};

const inFolder = (folder: string): Found => ({ command: (program) => [join(folder, program)] });

/**
 * Programs of an unpacked Debian package, run by the loader and with the C library that were unpacked with them: those of
 * the machine may be older. libpq is the one that came with our server.
 */
const unpacked = (usr: string, major: number): Found | undefined => {
  const folder = join(usr, 'lib');
  const libraries = existsSync(folder) ? readdirSync(folder).find((name) => name.includes('-linux-gnu')) : undefined;
  if (!libraries) return undefined;
  const loader = readdirSync(join(folder, libraries)).find((name) => name.startsWith('ld-linux'));
  if (!loader) return undefined;
  const paths = [join(folder, libraries), join(installedBinaries(), 'lib')].join(':');
  const bin = join(folder, 'postgresql', String(major), 'bin');
  return { command: (program) => [join(folder, libraries, loader), '--library-path', paths, join(bin, program)] };
};

const packagesOf = (major: number) => [
  `postgresql-client-${major}`,
  ...['libc6', 'liblz4-1', 'libzstd1', 'zlib1g', 'libssl3t64'],
];

const find = async (): Promise<Found | string> => {
  const major = Number(installedVersion().split('.')[0]);
  const folders = [...searchPath(), `/usr/lib/postgresql/${major}/bin`, `/opt/homebrew/opt/postgresql@${major}/bin`];
  const cached = join(cacheFolder, `postgresql-client-${major}`);
  for (const folder of folders.filter((one) => existsSync(join(one, 'pg_dump')))) {
    if (await fits(inFolder(folder), major)) return inFolder(folder);
  }
  const usable = async () => {
    const found = unpacked(cached, major);
    return found && (await fits(found, major)) ? found : undefined;
  };
  const kept = await usable();
  if (kept) return kept;
  let why = '';
  mkdirSync(cacheFolder, { recursive: true });
  for (const source of await machineSources()) {
    try {
      await withPackages(source, packagesOf(major), cacheFolder, (root) => {
        rmSync(cached, { recursive: true, force: true });
        renameSync(join(root, 'usr'), cached);
      });
    } catch (error) {
      why = whyNot(error) ?? why;
    }
    const found = await usable();
    if (found) return found;
  }
  return `no pg_dump ${major} or later on the PATH, nor from the mirror of this machine${why}`;
};

let looked: Promise<Found | string> | undefined;

/** How a client program is run, beside its arguments. */
interface ClientOptions {
  /** What only its environment is to have, such as `PGPASSWORD`: arguments are for everybody to see. */
  env?: Record<string, string>;
  /** Ends it. */
  signal?: AbortSignal;
}

/** Runs a client program of Postgres. @returns what it printed @throws Error with what it said where it fails */
export type RunPostgresClient = (
  program: 'pg_dump' | 'pg_restore',
  args: string[],
  options?: ClientOptions,
) => Promise<string>;

/**
 * `pg_dump` and `pg_restore` that fit our server, which comes without them: from the PATH, or the Debian package of the
 * machine's own mirror.
 * @returns how to run them, or a line that says that there are none
 */
export const postgresClient = async (): Promise<RunPostgresClient | string> => {
  looked ??= find();
  const found = await looked;
  if (typeof found === 'string') return found;
  return async (program, args, { env = {}, signal } = {}) => {
    const [file, ...before] = found.command(program);
    const options = { env: { ...inheritedEnvironment(), ...env }, maxBuffer: 2 ** 28, ...(signal && { signal }) };
    const { stdout } = await run(file, [...before, ...args], options);
    return stdout;
  };
};
