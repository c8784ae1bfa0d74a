import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inheritedEnvironment } from '../config.ts';
import { replaceFile } from '../replace-file.ts';
import type { Account } from './account.ts';
import type { Places } from './places.ts';

const run = promisify(execFile);

/**
 * Makes the cluster unless it is there. One whose making was cut off is made anew: nothing was ever stored in it.
 * Locale: the built-in C.UTF-8, the same on every machine.
 */
export const ensureCluster = async ({ binaries, data }: Places, account: Account | undefined, password: string) => {
  const finished = join(data, 'cardinal-initialised');
  if (existsSync(finished)) return;
  for (const entry of readdirSync(data)) rmSync(join(data, entry), { recursive: true });
  const scratch = mkdtempSync(join(tmpdir(), 'cardinal-init-'));
  const passwordFile = join(scratch, 'password');
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (account) for (const path of [scratch, passwordFile]) chownSync(path, account.uid, account.gid);
  try {
    await run(
      join(binaries, 'bin/initdb'),
      [
        `--pgdata=${data}`,
        `--pwfile=${passwordFile}`,
        '--username=postgres',
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale=C',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--no-instructions',
      ],
      { ...account, cwd: '/', env: inheritedEnvironment() },
    );
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  writeFileSync(finished, '');
};

/** The superuser's password of the cluster in `dir`, made on first use. */
export const superuserPassword = (dir: string, make: () => string): string => {
  const file = join(dir, 'password');
  if (!existsSync(file)) replaceFile(file, make(), 0o600);
  return readFileSync(file, 'utf8').trim();
};
