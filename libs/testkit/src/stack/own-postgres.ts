import { join } from 'node:path';
import {
  copyCluster,
  ensureRoles,
  inDatabase,
  noteFolder,
  promoteStandby,
  runStatements,
  type Stack,
  signalRecovery,
  startPostgres,
} from '@cardinal/servers';
import { eventually } from '../eventually.ts';
import { startProxy } from '../proxy.ts';
import { atEndOfFile } from '../run/end-of-file.ts';
import { passwords, worldDatabase } from '../run/postgres.ts';
import { runFolder, scratchFolder, shared } from '../run/worker.ts';

/** A Postgres of a world's own: it can be set back to an earlier state, and replaced by its standby. */
export type OwnPostgres = Awaited<ReturnType<typeof ownPostgres>>;

type Settings = Record<string, string>;

/** A process that dies leaves its pages with the system. */
const throwAway: Settings = { fsync: 'off' };

/** Starts it as a member of the stack, with the database of a whole Cardinal. */
export const ownPostgres = async (stack: Stack, folder: string) => {
  const dir = join(folder, 'postgres');
  const settings = { ...throwAway };
  await copyCluster(undefined, await shared<string>('cluster'), dir);
  const member = await stack.postgres(settings);
  const { url, data } = member.process();
  noteFolder(runFolder(), data);
  const adminUrl = inDatabase(url, worldDatabase);
  const urls = await ensureRoles(adminUrl, passwords);
  /** Tries until a query answers a row. */
  const untilTrue = (query: string) =>
    eventually(async () => {
      if ((await runStatements(url, [query])).length === 0) throw new Error(`nothing yet: ${query}`);
    });
  /** A copy of the present state in a folder of its own. */
  const copy = async () => {
    const to = scratchFolder('postgres-copy');
    await copyCluster(member.pid(), dir, to);
    return to;
  };
  /**
   * Kills the server and sets its data back to a copy.
   * @param recovery settings of a recovery from an archive, which ends before the server is used again
   */
  const setBack = async (to: string, recovery: Settings = {}) => {
    await member.end('SIGKILL');
    await copyCluster(undefined, to, dir);
    if (Object.keys(recovery).length > 0) signalRecovery(dir, 'recovery');
    Object.assign(settings, recovery);
    await member.start();
    for (const one of Object.keys(recovery)) delete settings[one];
    await untilTrue('select where not pg_is_in_recovery()');
  };
  return {
    urls,
    /** Superuser in the world's database, also after a failover. */
    adminUrl,
    /** Superuser in the database `postgres`. */
    serverUrl: url,
    /** Starts it anew with further settings. */
    restart: (further: Settings): Promise<void> => {
      Object.assign(settings, further);
      return stack.restart('postgres');
    },
    copy,
    setBack,
    /** Starts a standby that follows it; a synchronous one is waited for by every commit from now on. */
    standby: async (isSynchronous: boolean) => {
      const to = await copy();
      signalRecovery(to, 'standby');
      const receiver = await startProxy(url);
      const { username, password, hostname, port } = new URL(receiver.url);
      const primary = `user=${username} password=${password} host=${hostname} port=${port} application_name=standby`;
      const standby = await startPostgres({ dir: to, settings: { ...throwAway, primary_conninfo: primary } });
      noteFolder(runFolder(), standby.data);
      atEndOfFile(() => standby.stop('SIGQUIT'));
      const awaited = "alter system set synchronous_standby_names = 'standby'";
      if (isSynchronous) await runStatements(url, [awaited, 'select pg_reload_conf()']);
      const state = isSynchronous ? 'sync' : 'async';
      await untilTrue(`select from pg_stat_replication where sync_state = '${state}' and replay_lsn is not null`);
      return {
        /** From now on nothing reaches it any more. */
        cut: receiver.refuse,
        /** Kills the primary, and has the standby take its place. */
        promote: async () => {
          await member.end('SIGKILL');
          await promoteStandby(to);
          await runStatements(standby.url, ['alter system reset synchronous_standby_names']);
          await standby.stop();
          // At its address, where everybody looks for it.
          await setBack(to);
        },
      };
    },
  };
};
