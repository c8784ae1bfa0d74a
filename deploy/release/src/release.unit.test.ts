import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { releaseBefore, repository } from '@cardinal/servers';
import { expect, it } from 'vitest';
import { developmentFiles, releaseFiles, withCommit } from './release.ts';

const read = (file: string) => readFileSync(join(repository, file), 'utf8');
const { version: standing } = JSON.parse(read('package.json')) as { version: string };
const unreleased = '## [Unreleased]\n';
/** The repository as it is, with something to be released. */
const withChange = (file: string) =>
  file === 'CHANGELOG.md' ? read(file).replace(unreleased, `${unreleased}\n### Added\n\n- A change.\n`) : read(file);
const next = { version: '999.0.0', date: '2026-12-01' };

it('gives every file of this repository the number, and leaves none of the last one', () => {
  const files = releaseFiles(withChange, next);
  for (const [file, text] of files) expect(text, file).toContain('999.0.0');
  for (const file of ['docker-compose.yml', 'deploy/docker/Dockerfile', 'deploy/kubernetes/chart/Chart.yaml']) {
    expect(files.get(file), file).not.toContain(standing);
  }
  // What it says of upgrades names former releases.
  expect(files.get('deploy/docker/README.md')).not.toContain(`cardinal/deploy:${standing}`);
  expect(JSON.parse(files.get('package-lock.json') ?? '').packages['libs/cli'].version).toBe('999.0.0');
});

it('takes the release that the version in development announces, and goes on with the next one', () => {
  const developed = (file: string) => withChange(file).replaceAll(standing, '7.3.0-dev');
  const released = releaseFiles(developed, { ...next, version: '7.3.0' });
  expect(JSON.parse(released.get('package.json') ?? '').version).toBe('7.3.0');
  expect(released.get('docker-compose.yml')).not.toContain('7.3.0-dev');
  expect(() => releaseFiles(developed, { ...next, version: '7.2.9' })).toThrow('7.2.9 does not come after 7.3.0-dev');
  const after = developmentFiles((file) => released.get(file) ?? '');
  expect(JSON.parse(after.get('package.json') ?? '').version).toBe('7.4.0-dev');
  for (const [file, text] of after) expect(text, file).toContain('7.4.0-dev');
  expect(after.has('CHANGELOG.md')).toBe(false);
});

it('puts what is unreleased under the heading of the release, and then its commit', () => {
  const changelog = releaseFiles(withChange, next).get('CHANGELOG.md') ?? '';
  expect(changelog).toContain('## [Unreleased]\n\n## [999.0.0] - 2026-12-01\n\n### Added\n\n- A change.\n');
  expect(changelog).toContain('[999.0.0]: #99900---2026-12-01\n');
  const commit = 'a'.repeat(40);
  const named = withCommit(changelog, '999.0.0', commit);
  expect(releaseBefore(named)).toBe(commit);
  expect(releaseBefore(changelog)).toBe(releaseBefore());
});

it.each([
  ['next', '"next" is no version: it is written like 1.2.0'],
  ['1.2', '"1.2" is no version: it is written like 1.2.0'],
  ['0.9.9', /^0\.9\.9 does not come after \d+\.\d+\.\d+(-dev)?$/],
])('refuses %s', (version, message) => {
  expect(() => releaseFiles(withChange, { ...next, version })).toThrow(message);
});

it('refuses a release of nothing, and files that do not have the number', () => {
  const nothing = (file: string) =>
    file === 'CHANGELOG.md' ? '## [Unreleased]\n\n## [1.0.0] - 2026-11-23\n' : read(file);
  expect(() => releaseFiles(nothing, next)).toThrow('CHANGELOG.md has nothing under [Unreleased]');
  const lacking = (file: string) => (file === 'deploy/docker/README.md' ? '' : withChange(file));
  expect(() => releaseFiles(lacking, next)).toThrow(/^deploy\/docker\/README\.md has no "cardinal\/deploy:/);
});
