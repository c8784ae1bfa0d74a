import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repository } from './config.ts';

/** Every package of a checkout as its own code finds it; third parties' packages are found further up, in ours. */
const linkPackages = (making: string, folder: string) => {
  const scope = join(making, 'node_modules/@cardinal');
  mkdirSync(scope, { recursive: true });
  for (const file of globSync('{libs,services,deploy}/*/package.json', { cwd: making })) {
    const workspace = dirname(file);
    const { name } = JSON.parse(readFileSync(join(making, file), 'utf8')) as { name: string };
    symlinkSync(join(folder, workspace), join(making, 'node_modules', name));
    const own = join(repository, workspace, 'node_modules');
    if (existsSync(own)) symlinkSync(own, join(making, workspace, 'node_modules'));
  }
};

/** Whether a checkout has the service: the last release lacks those that were added since. */
export const hasService = (name: string, build = repository): boolean => existsSync(join(build, 'services', name));

/** The commit of the last release, which is in use while this one is put in its place: `CHANGELOG.md` names it. */
export const releaseBefore = (changelog = readFileSync(join(repository, 'CHANGELOG.md'), 'utf8')): string | undefined =>
  /^## \[\d[^\]]*\] - [\d-]+\n+Commit `([\da-f]{40})`/m.exec(changelog)?.[1];

/**
 * The code of a commit, taken out of the history once and kept under `.cardinal`. Undefined where this checkout has no such
 * history.
 */
const buildOf = (commit: string): string | undefined => {
  const folder = join(repository, '.cardinal/builds', commit);
  if (existsSync(folder)) return folder;
  let archive: Buffer;
  try {
    archive = execFileSync('git', ['archive', commit], {
      cwd: repository,
      maxBuffer: 1024 ** 3,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return undefined;
  }
  // Made whole or not at all.
  const making = `${folder}.${process.pid}`;
  mkdirSync(making, { recursive: true });
  execFileSync('tar', ['-x', '-C', making], { input: archive });
  linkPackages(making, folder);
  try {
    renameSync(making, folder);
  } catch (error) {
    rmSync(making, { recursive: true });
    // Another test file was quicker.
    if (!existsSync(folder)) throw error;
  }
  return folder;
};

/** The code of the last release; undefined where none is named yet, or this checkout's history lacks it. */
export const buildBefore = (): string | undefined => {
  const commit = releaseBefore();
  return commit === undefined ? undefined : buildOf(commit);
};
