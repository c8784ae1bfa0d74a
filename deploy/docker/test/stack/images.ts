import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { serviceNames } from '@cardinal/contracts';
import { releaseBefore, repository } from '@cardinal/servers';
import { parse } from 'yaml';
import { buildOverride } from './config.ts';
import { docker, run } from './docker.ts';

/** What an image may take, MB; that of all services has the packages of each. */
const maxMegabytes = (name: string): number => (name === 'all' ? 225 : 200);

const read = (file: string) =>
  parse(readFileSync(file, 'utf8'), { merge: true, maxAliasCount: -1 }) as {
    services: Record<string, { build?: object }>;
  };

/**
 * What a build needs here besides, of the services that the checkout builds: a former release lacks some and builds more,
 * and Compose takes no service without an image.
 * @returns a file in the folder; undefined where nothing is needed
 */
const overrideFor = (checkout: string, folder: string): string | undefined => {
  const given = buildOverride();
  if (given === undefined) return undefined;
  const { services, ...others } = read(given);
  const known = read(join(checkout, 'docker-compose.yml')).services;
  const own = Object.fromEntries(Object.entries(services).filter(([name]) => known[name]?.build));
  const file = join(folder, 'build-override.json');
  writeFileSync(file, JSON.stringify({ ...others, services: own }));
  return file;
};

/**
 * Builds every image of a checkout as its users do, `cardinal/<service>:<tag>`.
 * @param secrets a file with the secrets that the compose file asks for
 */
export const buildImages = async (checkout: string, tag: string, secrets: string): Promise<void> => {
  const more = overrideFor(checkout, dirname(secrets));
  const files = ['--file', join(checkout, 'docker-compose.yml'), ...(more ? ['--file', more] : [])];
  const profiles = ['--profile', 'apart', '--profile', 'together'];
  const args = ['compose', '--project-directory', checkout, '--env-file', secrets, ...profiles, ...files];
  await run('docker', [...args, 'build', '--quiet'], { env: { CARDINAL_VERSION: tag } });
};

/**
 * Sizes of the images, MB.
 * @throws Error where one is larger than it may be
 */
export const imageSizes = async (tag: string): Promise<Record<string, number>> => {
  const sizes: Record<string, number> = {};
  for (const name of [...serviceNames, 'all', 'deploy']) {
    const bytes = await docker('image', 'inspect', '--format', '{{.Size}}', `cardinal/${name}:${tag}`);
    sizes[name] = Math.round(Number(bytes) / 1e6);
  }
  const large = Object.entries(sizes).filter(([name, size]) => size > maxMegabytes(name));
  if (large.length > 0) throw new Error(`too large: ${large.map(([name, size]) => `${name} ${size} MB`).join(', ')}`);
  return sizes;
};

/** Every image of a tag, by its name. */
const imagesOf = (tag: string): string[] => [...serviceNames, 'all', 'deploy'].map((name) => `cardinal/${name}:${tag}`);

/** Removes the images of the tags; what they were built of stays in the engine's cache. */
export const removeImages = (tags: string[]) => docker('image', 'rm', ...tags.flatMap(imagesOf));

const git = (...args: string[]) => execFileSync('git', args, { cwd: repository, maxBuffer: 1024 ** 3 });

/**
 * Takes the last release out of the history: this one replaces it.
 * @returns its commit; undefined where CHANGELOG.md names none yet
 */
export const checkOutBefore = async (folder: string): Promise<string | undefined> => {
  const commit = releaseBefore();
  if (commit === undefined) return undefined;
  mkdirSync(folder, { recursive: true });
  await run('tar', ['-x', '-C', folder], { input: git('archive', commit) });
  return commit;
};

/** Gives every image of a tag another one besides. */
export const tagImages = async (tag: string, other: string): Promise<void> => {
  const [from, to] = [imagesOf(tag), imagesOf(other)];
  for (const [index, image] of from.entries()) await docker('tag', image, to[index] ?? '');
};
