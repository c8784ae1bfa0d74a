import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const folders = ['/usr/share/keyrings', '/etc/apt/trusted.gpg.d'];

const keyrings = () =>
  folders
    .filter(existsSync)
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((file) => /(debian|ubuntu)-archive.*\.gpg$/.test(file));

/** False when gpgv and the distribution's keys are here and say that `signed` (an InRelease file) is not theirs. */
export const verifySignature = async (signed: Buffer): Promise<boolean> => {
  const keys = keyrings();
  const missing = await run('gpgv', ['--version']).then(
    () => false,
    () => true,
  );
  if (missing || keys.length === 0) return true;
  const scratch = mkdtempSync(join(tmpdir(), 'cardinal-gpgv-'));
  try {
    writeFileSync(join(scratch, 'InRelease'), signed);
    await run('gpgv', [...keys.flatMap((key) => ['--keyring', key]), join(scratch, 'InRelease')]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
};
