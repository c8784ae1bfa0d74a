/** Where the number of the release stands, by file: the text around it. */
const places: Record<string, ((version: string) => string)[]> = {
  'package.json': [(version) => `"version": "${version}"`],
  'libs/cli/package.json': [(version) => `"version": "${version}"`],
  'libs/client/package.json': [(version) => `"version": "${version}"`],
  'libs/contracts/src/release.ts': [(version) => `release = '${version}'`],
  'libs/client/src/client.ts': [(version) => `clientVersion = '${version}'`],
  'libs/cli/README.md': [(version) => `cardinal-cli-${version}.tgz`],
  'libs/client/README.md': [(version) => `cardinal-client-${version}.tgz`],
  'docker-compose.yml': [(version) => `\${CARDINAL_VERSION:-${version}}`],
  'deploy/docker/README.md': [(version) => `cardinal/deploy:${version}`],
  'deploy/docker/Dockerfile': [(version) => `VERSION=${version}`, (version) => `:${version} `],
  'deploy/kubernetes/chart/Chart.yaml': [
    (version) => `\nversion: ${version}\n`,
    (version) => `appVersion: "${version}"`,
  ],
};

/** Packages of the lock file that have the number; '' is the root. */
const lockedPackages = ['', 'libs/cli', 'libs/client'];
const [lockFile, changelogFile] = ['package-lock.json', 'CHANGELOG.md'];

interface Lock {
  version: string;
  packages: Record<string, { version?: string }>;
}

/** What is wrong with what was asked for: its message is for a person. */
export class ReleaseError extends Error {
  override readonly name = 'ReleaseError';
}

/** What stands for a release that is not made yet. Its version comes before that of the release (Semantic Versioning 2.0.0, 11). */
const development = '-dev';

const numbersOf = (version: string): number[] => {
  const numbers = /^(\d+)\.(\d+)\.(\d+)$/.exec(version)?.slice(1).map(Number);
  if (!numbers) throw new ReleaseError(`${JSON.stringify(version)} is no version: it is written like 1.2.0`);
  return numbers;
};

/** Whether a release comes after what stands. @throws ReleaseError where one is no version */
const isAfter = (one: string, standing: string): boolean => {
  const [numbers, others] = [numbersOf(one), numbersOf(standing.replace(development, ''))];
  const at = numbers.findIndex((number, index) => number !== others[index]);
  return at < 0 ? standing.endsWith(development) : (numbers[at] ?? 0) > (others[at] ?? 0);
};

/**
 * Gives the release its number in every file that has it, and its heading in the changelog.
 * @param read reads a file of the repository
 * @param date of the release, as `2026-12-01`
 * @returns the new text of each file
 * @throws ReleaseError where the version is none or not after the one that stands, where nothing was changed, or where a file
 *   lacks the one that stands
 */
export const releaseFiles = (
  read: (file: string) => string,
  { version, date }: { version: string; date: string },
): Map<string, string> => {
  const standing = standingVersion(read);
  if (!isAfter(version, standing)) throw new ReleaseError(`${version} does not come after ${standing}`);
  const files = withVersion(read, standing, version);
  return files.set(changelogFile, withHeading(read(changelogFile), version, date));
};

/**
 * Gives every file the version that follows a release, so that nothing built from it passes for the release.
 * @param read reads a file of the repository, which has the version of the release
 * @returns the new text of each file
 * @throws ReleaseError where a file lacks the version of the release
 */
export const developmentFiles = (read: (file: string) => string): Map<string, string> => {
  const standing = standingVersion(read);
  const [major, minor] = numbersOf(standing);
  return withVersion(read, standing, `${major}.${(minor ?? 0) + 1}.0${development}`);
};

const standingVersion = (read: (file: string) => string): string =>
  (JSON.parse(read('package.json')) as { version: string }).version;

const withVersion = (read: (file: string) => string, before: string, version: string): Map<string, string> => {
  const files = new Map<string, string>();
  for (const [file, texts] of Object.entries(places)) {
    let content = read(file);
    for (const text of texts) {
      if (!content.includes(text(before))) throw new ReleaseError(`${file} has no ${JSON.stringify(text(before))}`);
      content = content.replaceAll(text(before), text(version));
    }
    files.set(file, content);
  }
  const lock = JSON.parse(read(lockFile)) as Lock;
  for (const one of [lock, ...lockedPackages.map((name) => lock.packages[name])]) {
    if (one?.version !== before) throw new ReleaseError(`${lockFile} is not of ${before}: run npm install`);
    one.version = version;
  }
  return files.set(lockFile, `${JSON.stringify(lock, null, 2)}\n`);
};

const withHeading = (changelog: string, version: string, date: string): string => {
  const changes = /## \[Unreleased\]\n([\s\S]*?)\n## /.exec(changelog)?.[1];
  if (changes === undefined) throw new ReleaseError(`${changelogFile} has no heading [Unreleased] before a release`);
  if (changes.trim() === '') throw new ReleaseError(`${changelogFile} has nothing under [Unreleased]`);
  const link = `[${version}]: #${version.replaceAll('.', '')}---${date}`;
  return changelog
    .replace('## [Unreleased]\n', `## [Unreleased]\n\n## [${version}] - ${date}\n`)
    .replace('[Unreleased]: #unreleased\n', `[Unreleased]: #unreleased\n${link}\n`);
};

/**
 * Says in the changelog which commit the release is: from then on upgrades are tested from it (`releaseBefore` of
 * libs/servers). No commit can say that of itself.
 */
export const withCommit = (changelog: string, version: string, commit: string): string =>
  changelog.replace(
    new RegExp(`^(## \\[${version.replaceAll('.', '\\.')}\\] - .*)\n`, 'm'),
    `$1\n\nCommit \`${commit}\`.\n`,
  );
