import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder, searchPath } from '../config.ts';
import { Unverified, unpackFromMirror } from './mirror.ts';

const run = promisify(execFile);

/** The oldest nats-server that serves us: multi-valued batches and consumer features of 2.10. */
const oldest = [2, 10] as const;

/** Reads `nats-server: v2.15.1` and its like; undefined for anything else. */
export const parseVersion = (text: string): [major: number, minor: number, patch: number] | undefined => {
  const match = /\bv?(\d+)\.(\d+)\.(\d+)/.exec(text);
  return match ? [Number(match[1]), Number(match[2]), Number(match[3])] : undefined;
};

/** True for a version that we can use. */
export const isUsable = (text: string): boolean => {
  const version = parseVersion(text);
  if (!version) return false;
  return version[0] > oldest[0] || (version[0] === oldest[0] && version[1] >= oldest[1]);
};

/** True when the program at `path` runs here and is new enough. */
const runs = async (path: string): Promise<boolean> => {
  try {
    const { stdout, stderr } = await run(path, ['--version'], { timeout: 10_000 });
    return isUsable(stdout + stderr);
  } catch {
    return false;
  }
};

const onPath = async (): Promise<string | undefined> => {
  for (const folder of searchPath()) {
    const candidate = join(folder, 'nats-server');
    if (existsSync(candidate) && (await runs(candidate))) return candidate;
  }
  return undefined;
};

const waysOut =
  '`brew install nats-server`, or `docker compose up -d` and NATS_URL=nats://127.0.0.1:4222, or put the binary from https://github.com/nats-io/nats-server/releases on the PATH';

/**
 * A nats-server of version 2.10 or later: one on the PATH, the one unpacked earlier, or the newest Debian package of
 * the machine's own mirror.
 * @param tell receives a line when something is fetched
 * @throws Error of one line that says how to get one
 */
export const natsBinary = async (tell: (line: string) => void = () => {}): Promise<string> => {
  let why = 'no nats-server 2.10 or later';
  const refused = (error: unknown) => {
    if (!(error instanceof Unverified)) throw error;
    why = error.message;
    return undefined;
  };
  const found = (await onPath()) ?? (await unpackFromMirror(cacheFolder, runs, tell).catch(refused));
  if (found) return found;
  throw new Error(`${why}: ${waysOut}`);
};
