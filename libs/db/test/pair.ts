import { copyCluster, runStatements, signalRecovery, startPostgres } from '@cardinal/servers';
import { scratchFolder } from '@cardinal/testkit';
import { onTestFinished } from 'vitest';

/** A primary and a standby that follows it by a slot, both for one test. */
export const startPair = async () => {
  const [from, to] = [scratchFolder('primary'), scratchFolder('standby')];
  const primary = await startPostgres({ dir: from });
  onTestFinished(() => primary.stop('SIGQUIT'));
  await runStatements(primary.url, [`select pg_create_physical_replication_slot('standby')`]);
  await copyCluster(primary.pid, from, to);
  signalRecovery(to, 'standby');
  const { password } = new URL(primary.url);
  const settings = {
    primary_conninfo: `host=127.0.0.1 port=${primary.port} user=postgres password=${password} application_name=standby`,
    primary_slot_name: 'standby',
  };
  const standby = await startPostgres({ dir: to, settings });
  onTestFinished(() => standby.stop('SIGQUIT'));
  return { primary, standby };
};
