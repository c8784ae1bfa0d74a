import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '@cardinal/local';
import { buildArguments } from './config.ts';
import { docker, run } from './docker.ts';

export const services = ['identifier', 'card', 'dependency', 'attachment', 'gateway'] as const;
const mostMegabytes = 200;

/** Builds every image of a checkout, `cardinal/<service>:<tag>`. */
export const buildImages = async (checkout: string, tag: string): Promise<void> => {
  const build = (name: string, ...args: string[]) =>
    docker(
      ...['build', '--quiet', '--file', join(checkout, 'deploy/docker/Dockerfile'), '--tag', `cardinal/${name}:${tag}`],
      ...['--build-arg', `VERSION=${tag}`, ...buildArguments(), ...args, checkout],
    );
  for (const service of services) await build(service, '--build-arg', `SERVICE=${service}`);
  await build('deploy', '--target', 'deploy');
};

/**
 * Sizes of the images, MB.
 * @throws Error where one is larger than it may be
 */
export const imageSizes = async (tag: string): Promise<Record<string, number>> => {
  const sizes: Record<string, number> = {};
  for (const name of [...services, 'deploy']) {
    const bytes = await docker('image', 'inspect', '--format', '{{.Size}}', `cardinal/${name}:${tag}`);
    sizes[name] = Math.round(Number(bytes) / 1e6);
  }
  const large = Object.entries(sizes).filter(([, size]) => size > mostMegabytes);
  if (large.length > 0) throw new Error(`too large: ${large.map(([name, size]) => `${name} ${size} MB`).join(', ')}`);
  return sizes;
};

/** Removes the images of the tags; what they were built of stays in the engine's cache. */
export const removeImages = (tags: string[]) =>
  docker('image', 'rm', ...tags.flatMap((tag) => [...services, 'deploy'].map((name) => `cardinal/${name}:${tag}`)));

const git = (...args: string[]) => execFileSync('git', args, { cwd: repository, maxBuffer: 1024 ** 3 });

/**
 * Takes the release that this one replaces out of the history: what `deploy/former-release` names or, where that had no
 * images yet, the commit that brought them.
 * @returns its commit
 */
export const checkOutFormer = async (folder: string): Promise<string> => {
  const named = readFileSync(join(repository, 'deploy/former-release'), 'utf8').trim();
  const hasImages = git('ls-tree', named, 'deploy/docker/Dockerfile').length > 0;
  const first = () => String(git('log', '--diff-filter=A', '--format=%H', '--', 'deploy/docker/Dockerfile')).trim();
  const commit = hasImages ? named : first();
  mkdirSync(folder, { recursive: true });
  await run('tar', ['-x', '-C', folder], { input: git('archive', commit) });
  return commit;
};
