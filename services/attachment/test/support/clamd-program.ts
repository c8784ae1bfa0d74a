import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from '@cardinal/servers';

const run = promisify(execFile);

/** A program that can be started here. */
export interface Program {
  command: string;
  env: Record<string, string>;
}

const installed = '/usr/sbin/clamd';
const cache = join(repository, '.cardinal/cache');

/** The program in a folder of unpacked packages, with its libraries. */
const inFolder = async (root: string): Promise<Program> => {
  const libraries = join(root, 'usr/lib');
  const folders = (await readdir(libraries)).filter((name) => name.includes('-linux-'));
  const path = folders.map((name) => join(libraries, name)).join(':');
  return { command: join(root, 'usr/sbin/clamd'), env: { LD_LIBRARY_PATH: path } };
};

/** apt with archives of its own, and maybe lists, so it needs no root and does not change the machine. */
const apt = async (folder: string, lists: string[], ...args: string[]): Promise<void> => {
  const settings = [
    ...lists,
    `Dir::Cache=${folder}`,
    'Debug::NoLocking=1',
    'APT::Sandbox::User=',
    'Acquire::http::Timeout=10',
    'Acquire::Retries=1',
  ];
  await run('apt-get', [...settings.flatMap((setting) => ['-o', setting]), '-q', '-y', ...args], { timeout: 120_000 });
};

/** Has apt fetch and verify what an installation needs, and unpacks it. */
const unpack = async (target: string): Promise<Program | undefined> => {
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'unpack-'));
  try {
    await Promise.all(['lists', 'archives'].map((name) => mkdir(join(folder, name, 'partial'), { recursive: true })));
    const download = ['install', '--download-only', '--no-install-recommends', 'clamav-daemon'];
    const ownLists = [`Dir::State::lists=${folder}/lists`];
    // The machine's lists where they suffice: fetching lists costs more than everything else here.
    await apt(folder, [], ...download).catch(async () => {
      await apt(folder, ownLists, 'update');
      await apt(folder, ownLists, ...download);
    });
    const archives = (await readdir(join(folder, 'archives'))).filter((name) => name.endsWith('.deb'));
    const root = join(folder, 'root');
    for (const name of archives) await run('dpkg-deb', ['-x', join(folder, 'archives', name), root]);
    const { command, env } = await inFolder(root);
    const config = join(folder, 'clamd.conf');
    await writeFile(config, '');
    // Without a configuration it does not even print its version.
    await run(command, ['--config-file', config, '--version'], { env });
    // Another run may have been faster: its copy is equal.
    await rename(root, target).catch(() => {});
    return await inFolder(target);
  } catch {
    return undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/**
 * Finds Debian's clamd: the installed one, the one unpacked earlier, or its packages from the machine's apt mirror.
 * @returns undefined where there is no apt, or its mirror does not answer
 */
export const clamdProgram = async (): Promise<Program | undefined> => {
  if (existsSync(installed)) return { command: installed, env: {} };
  const target = join(cache, 'clamd');
  return existsSync(target) ? inFolder(target) : unpack(target);
};
