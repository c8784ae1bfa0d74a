/**
 * `npm run release -- 1.2.0`: makes a release of what stands, all but publishing it (CONTRIBUTING, "How a release is made").
 * Two commits and a tag: the release, and the version in development that follows. Where a step fails, the files are put back as they were.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '@cardinal/servers';
import { developmentFiles, ReleaseError, releaseFiles, withCommit } from './release.ts';

const run = (command: string, ...args: string[]) => execFileSync(command, args, { cwd: repository, stdio: 'inherit' });
const git = (...args: string[]) => execFileSync('git', args, { cwd: repository, encoding: 'utf8' }).trim();
const read = (file: string) => readFileSync(join(repository, file), 'utf8');
const write = (file: string, text: string) => writeFileSync(join(repository, file), text);
/** Renders what is made of the number or of the last release, and checks everything but behaviour. */
const render = () => {
  run('npx', 'vitest', 'run', 'services/gateway/test/changes', '--update');
  run('npm', 'run', '--silent', 'openapi');
  run('npm', 'run', '--silent', 'check');
};
const commit = (subject: string, text: string): string => {
  git('add', '--all');
  git('commit', '--quiet', '--message', subject, '--message', text);
  return git('rev-parse', 'HEAD');
};

const release = (version: string): void => {
  const tag = `v${version}`;
  if (git('status', '--porcelain') !== '') throw new ReleaseError('Commit or remove what was changed: git status');
  if (git('tag', '--list', tag) !== '') throw new ReleaseError(`There is a tag ${tag} already`);
  const begun = git('rev-parse', 'HEAD');
  const files = releaseFiles(read, { version, date: new Date().toISOString().slice(0, 10) });
  try {
    for (const [file, text] of files) write(file, text);
    render();
    const made = commit(`all: release ${version}`, 'What changed since the last one is in CHANGELOG.');
    write('CHANGELOG.md', withCommit(read('CHANGELOG.md'), version, made));
    for (const [file, text] of developmentFiles(read)) write(file, text);
    render();
    commit(`all: go on after ${version}`, 'CHANGELOG names its commit, from which upgrades are tested.');
    git('tag', '--annotate', tag, '--message', `Cardinal ${version}`, made);
  } catch (error) {
    git('reset', '--quiet', '--hard', begun);
    throw error;
  }
  process.stdout.write(`Made ${tag}. CONTRIBUTING says how it is tested and published.\n`);
};

const [version] = process.argv.slice(2);
try {
  if (version === undefined) throw new ReleaseError('Say which: npm run release -- 1.2.0');
  release(version);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
