import { chmodSync } from 'node:fs';
import { runStatements } from '@cardinal/servers';
import { eventually, rounds, scratchFolder, startWorld, type World } from '@cardinal/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { drill, expectLossWithoutReuse, expectNoReuse, modes } from './drill.ts';

let world: World;
const start = async () => {
  world = await startWorld({ apart: true, ownPostgres: true, env: { gateway: { RATE_LIMIT_MAX: '1000000' } } });
  return () => world.stop();
};

/** Everything that recovery to a point in time needs: a base backup, and an archive of the log from before it on. */
const archive = async () => {
  const postgres = world.ownPostgres();
  const folder = scratchFolder('archive');
  // The account that runs Postgres writes to it.
  chmodSync(folder, 0o777);
  await postgres.restart({ archive_mode: 'on', archive_command: `cp %p ${folder}/%f` });
  const base = await postgres.copy();
  return {
    now: async () => {
      const [row] = await runStatements(postgres.serverUrl, ['select clock_timestamp()::text as now']);
      return (row as { now: string }).now;
    },
    /** Recovers to a point in time from the archive, as a server that lost its disk does. */
    recoverTo: async (moment: string) => {
      const [row] = await runStatements(postgres.serverUrl, ['select pg_walfile_name(pg_switch_wal()) as last']);
      const { last } = row as { last: string };
      await eventually(async () => {
        const [state] = await runStatements(postgres.serverUrl, [
          'select last_archived_wal as at from pg_stat_archiver',
        ]);
        expect((state as { at: string }).at >= last).toBe(true);
      });
      await postgres.setBack(base, {
        restore_command: `cp ${folder}/%f %p`,
        recovery_target_time: moment,
        recovery_target_action: 'promote',
      });
    },
  };
};

describe.runIf(rounds(1, 0) > 0)('everything on one Postgres', () => {
  beforeAll(start);

  describe.each(modes)('%s', (mode) => {
    it('loses nothing where a synchronous standby takes its place, and skips a grant at most', async () => {
      const standby = await world.ownPostgres().standby(true);
      const keep = async () => {};
      const figures = await drill(world, {
        name: 'synchronous standby promoted',
        mode,
        keep,
        rollback: standby.promote,
      });
      expectNoReuse(figures);
      expect(figures.lost).toBe(0);
    });

    it('gives no identifier to a second card where it is recovered to a point in time', async () => {
      const { now: keep, recoverTo: rollback } = await archive();
      expectLossWithoutReuse(await drill(world, { name: 'point in time', mode, keep, rollback }));
    });
  });
});
