import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, readIfThere, repository } from '@cardinal/servers';
import { inMegabytes, withProgress } from './program.ts';

/** A file of a backup, by its path in it. */
export interface Kept {
  name: string;
  bytes: number;
  sha256: string;
}

/** The manifest of a backup. `deploy/docker/backup.sh` writes the same lines with another kind. */
export interface Manifest {
  /** The state folder that it is of. */
  stack: string;
  version: string;
  /** When it was made, UTC. */
  made: string;
  /** What its databases take in Postgres. */
  databaseBytes: number;
  files: Kept[];
}

const title = 'cardinal-backup 1 local';
/** Without it a folder is no backup. */
export const manifestFile = 'manifest';

/** The version of this checkout. */
export const versionHere = (): string => JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')).version;

/** Whether a folder is a backup of a stack of `npm start`, and whole by its manifest. */
export const isBackup = (folder: string): boolean => readIfThere(join(folder, manifestFile)).startsWith(`${title}\n`);

export const renderManifest = ({ stack, version, made, databaseBytes, files }: Manifest): string =>
  [
    title,
    `stack ${stack}`,
    `version ${version}`,
    `made ${made}`,
    `database-bytes ${databaseBytes}`,
    ...files.map(({ name, bytes, sha256 }) => `file ${bytes} ${sha256} ${name}`),
    'complete\n',
  ].join('\n');

/** @throws ConfigError where the folder is no whole backup that this version knows */
export const readManifest = (folder: string): Manifest => {
  const file = join(folder, manifestFile);
  const text = readIfThere(file);
  const [first = '', ...lines] = text.split('\n');
  if (!/^cardinal-backup \d+ local$/.test(first)) {
    const why = first.endsWith(' compose') ? 'it is of a stack of Compose: sh deploy/docker/restore.sh' : 'no manifest';
    throw new ConfigError(`${folder} is no backup of npm start: ${why}`);
  }
  if (first !== title) throw new ConfigError(`${folder} is of a later form than this version knows`);
  if (!text.endsWith('\ncomplete\n')) throw new ConfigError(`${file} has no end: this backup is not whole`);
  const value = (name: string) => lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? '';
  const files = lines.flatMap((line) => {
    const [, bytes, sha256 = '', name = ''] = /^file (\d+) ([0-9a-f]{64}) (.+)$/.exec(line) ?? [];
    return bytes === undefined ? [] : [{ name, bytes: Number(bytes), sha256 }];
  });
  return {
    stack: value('stack'),
    version: value('version'),
    made: value('made'),
    databaseBytes: Number(value('database-bytes')),
    files,
  };
};

const checksum = async (path: string, signal: AbortSignal): Promise<string> => {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { signal, highWaterMark: 1_048_576 })) hash.update(chunk);
  return hash.digest('hex');
};

/** Describes a file of a folder. @param name its path in it */
export const describeFile = async (folder: string, name: string, signal: AbortSignal): Promise<Kept> => {
  const path = join(folder, name);
  return { name, bytes: statSync(path).size, sha256: await checksum(path, signal) };
};

/** @throws ConfigError where a file differs from the manifest, before any of it is used */
export const verifyFiles = async (folder: string, { files }: Manifest, signal: AbortSignal): Promise<void> => {
  for (const { name, bytes, sha256 } of files) {
    const size = statSync(join(folder, name), { throwIfNoEntry: false })?.size;
    if (size === undefined) throw new ConfigError(`${name} is missing: this backup is not whole`);
    if (size !== bytes) throw new ConfigError(`${name} has ${size} bytes and not ${bytes}: this backup is not whole`);
    const sum = await withProgress(
      () => `checking ${name} (${inMegabytes(bytes)})`,
      checksum(join(folder, name), signal),
    );
    if (sum !== sha256) throw new ConfigError(`${name} is not what was written: its checksum is another one`);
  }
};

/** @throws ConfigError where a backup is of a later version than this checkout */
export const checkVersion = ({ version }: Manifest, here = versionHere()): void => {
  const [theirs = [], ours = []] = [version, here].map((one) => one.split('.').map(Number));
  const at = theirs.findIndex((number, index) => number !== ours[index]);
  if (at >= 0 && (theirs[at] ?? 0) > (ours[at] ?? 0))
    throw new ConfigError(
      `the backup is of version ${version}, this is ${here}: check out that version, or a later one`,
    );
};
