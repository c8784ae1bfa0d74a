import { execFile } from 'node:child_process';
import { chownSync, copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openDatabase } from '@cardinal/db';
import { sql } from 'kysely';
import { foldersFor, postgresAccount } from './folders.ts';
import type { Postgres } from './server.ts';

const run = promisify(execFile);

/**
 * Copies a running Postgres of ours into another folder, from which `startPostgres` starts it (PostgreSQL manual, "Making a
 * Base Backup Using the Low Level API"): as a standby that follows the first one (`standby`, with `primary_conninfo` among
 * its settings), or up to a point in time (`recovery`, with `restore_command` and `recovery_target_time`).
 * @param from the folder that the running one was started with
 * @param to one that no Postgres was started with
 */
export const baseBackup = async (
  { url, data }: Pick<Postgres, 'url' | 'data'>,
  from: string,
  to: string,
  as: 'standby' | 'recovery',
): Promise<void> => {
  const account = postgresAccount();
  const { data: copy } = foldersFor(to, account);
  const database = openDatabase({ url, name: 'base-backup', poolSize: 1, statementTimeoutMs: 60_000 });
  try {
    const label = await database.transaction(async (tx) => {
      await sql`select pg_backup_start('base-backup', true)`.execute(tx);
      await run('cp', ['-a', `${data}/.`, copy]);
      const { rows } = await sql<{ label: string }>`select labelfile as label from pg_backup_stop(false)`.execute(tx);
      return rows[0]?.label ?? '';
    });
    rmSync(join(copy, 'postmaster.pid'), { force: true });
    for (const [name, text] of Object.entries({ backup_label: label, [`${as}.signal`]: '' })) {
      writeFileSync(join(copy, name), text);
      if (account) chownSync(join(copy, name), account.uid, account.gid);
    }
  } finally {
    await database.close();
  }
  // The copy has the roles of the first, and so the superuser's password.
  copyFileSync(join(from, 'password'), join(to, 'password'));
};
