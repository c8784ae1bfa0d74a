import { join } from 'node:path';
import {
  copyCluster,
  inDatabase,
  noteFolder,
  type Postgres,
  promoteStandby,
  provision,
  runStatements,
  signalRecovery,
  startPostgres,
} from '@cardinal/servers';
import { eventually } from '../eventually.ts';
import { startProxy } from '../proxy.ts';
import { passwords } from '../run/postgres.ts';
import { runFolder, scratchFolder } from '../run/worker.ts';

/** A Postgres of a world's own: it can be killed, set back to an earlier state, and replaced by its standby. */
export type OwnPostgres = Awaited<ReturnType<typeof ownPostgres>>;

type Settings = Record<string, string>;

const name = 'world';

/** Starts it with the databases of a whole Cardinal, behind a proxy, so that a test can replace it. */
export const ownPostgres = async (folder: string) => {
  const start = async (dir: string, settings: Settings = {}, port?: number) => {
    // A process that dies leaves its pages with the system.
    const server = await startPostgres({ dir, settings: { fsync: 'off', ...settings }, ...(port ? { port } : {}) });
    noteFolder(runFolder(), server.data);
    return server;
  };
  let dir = join(folder, 'postgres');
  let settings: Settings = {};
  let postgres: Postgres = await start(dir);
  const standbys: Postgres[] = [];
  const proxy = await startProxy(postgres.url);
  const logFile = join(folder, 'migrate.log');
  const urls = await provision({ databaseUrl: proxy.url, database: name, passwords, logFile });
  const statements = (...all: string[]) => runStatements(postgres.url, all);
  /** A copy of the present state in a folder of its own. */
  const copy = async () => {
    const to = scratchFolder('postgres-copy');
    await copyCluster(postgres.hasExited() ? undefined : postgres.pid, dir, to);
    return to;
  };
  return {
    urls,
    /** Superuser in the world's database, also after a failover. */
    adminUrl: inDatabase(proxy.url, name),
    /** Superuser in the database `postgres`. */
    serverUrl: proxy.url,
    kill: (signal: NodeJS.Signals = 'SIGKILL') => postgres.stop(signal),
    exited: () => postgres.exited,
    /** Ends it if it runs and starts it again on its port, from now on with these settings where some are given. */
    restart: async (changed = settings) => {
      await postgres.stop();
      settings = changed;
      postgres = await start(dir, settings, postgres.port);
    },
    copy,
    /**
     * Kills the server and sets its data back to a copy.
     * @param recovery settings of a recovery from an archive, which ends before the server is used again
     */
    setBack: async (to: string, recovery?: Settings) => {
      await postgres.stop('SIGKILL');
      await copyCluster(undefined, to, dir);
      if (recovery) signalRecovery(dir, 'recovery');
      postgres = await start(dir, { ...settings, ...recovery }, postgres.port);
      await eventually(async () => {
        const [row] = await statements('select pg_is_in_recovery() as recovering');
        if ((row as { recovering: boolean }).recovering) throw new Error('Postgres still recovers');
      });
    },
    /** Starts a standby that follows it; a synchronous one is waited for by every commit from now on. */
    standby: async (isSynchronous: boolean) => {
      const to = await copy();
      signalRecovery(to, 'standby');
      const receiver = await startProxy(postgres.url);
      const { username, password, hostname, port } = new URL(receiver.url);
      const primary = `user=${username} password=${password} host=${hostname} port=${port} application_name=standby`;
      const standby = await start(to, { primary_conninfo: primary });
      standbys.push(standby);
      if (isSynchronous)
        await statements("alter system set synchronous_standby_names = 'standby'", 'select pg_reload_conf()');
      const state = isSynchronous ? 'sync' : 'async';
      await eventually(async () => {
        const rows = await statements(
          `select 1 from pg_stat_replication where sync_state = '${state}' and replay_lsn is not null`,
        );
        if (rows.length === 0) throw new Error('the standby does not follow');
      });
      return {
        /** From now on nothing reaches it any more. */
        cut: receiver.refuse,
        /** Kills the primary, and has the standby take its place. */
        promote: async () => {
          await postgres.stop('SIGKILL');
          await promoteStandby(to);
          await runStatements(standby.url, ['alter system reset synchronous_standby_names', 'select pg_reload_conf()']);
          [postgres, dir] = [standby, to];
          proxy.lead(standby.url);
          proxy.cut();
        },
      };
    },
    stop: async () => {
      for (const server of new Set([postgres, ...standbys])) await server.stop('SIGQUIT');
    },
  };
};
