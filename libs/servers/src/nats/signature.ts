import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const folders = ['/usr/share/keyrings', '/etc/apt/trusted.gpg.d'];
const mostBytes = 16 * 1024 * 1024;

/** The distribution's own keys on this machine; undefined where nothing here can verify with them. */
export const archiveKeys = async (): Promise<string[] | undefined> => {
  const keys = folders
    .filter(existsSync)
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((file) => /(debian|ubuntu)-archive.*\.gpg$/.test(file));
  const missing = await run('gpgv', ['--version']).then(
    () => false,
    () => true,
  );
  return missing || keys.length === 0 ? undefined : keys;
};

/** The part of an InRelease file that the holder of one of the keys has signed; undefined where there is none. */
export const signedPart = async (release: Buffer, keys: string[]): Promise<string | undefined> => {
  const scratch = mkdtempSync(join(tmpdir(), 'cardinal-gpgv-'));
  try {
    const file = join(scratch, 'InRelease');
    writeFileSync(file, release);
    const args = [...keys.flatMap((key) => ['--keyring', key]), '--output', '-', file];
    return (await run('gpgv', args, { maxBuffer: mostBytes })).stdout;
  } catch {
    return undefined;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
};
