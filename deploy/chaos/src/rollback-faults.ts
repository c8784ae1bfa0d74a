import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  copyCluster,
  noteFolder,
  promoteStandby,
  runStatements,
  signalRecovery,
  startPostgres,
} from '@cardinal/servers';
import type { Parts } from './parts.ts';
import type { Injector } from './system.ts';

/** From a rollback until the next one, ms: time to meet the database, and for some writes. */
const betweenRollbacksMs = 3_000;
/** The resource that a rollback locks: only one happens at a time. */
const history = 'the history of the databases';

/**
 * Runs a copy as a standby without a primary for as long as the fault lasts, then promotes it. @returns promotes and
 * ends it
 */
const standbyOf = async (copy: string, scratch: string) => {
  signalRecovery(copy, 'standby');
  const standby = await startPostgres({ dir: copy });
  noteFolder(scratch, standby.data);
  return async () => {
    await promoteStandby(copy);
    await standby.stop();
  };
};

/** Rollbacks of all databases together to an earlier state: what was written since the fault began is lost. */
export const rollbackFaults = (parts: Parts): Record<string, Injector> => {
  const { postgres, nats, instances, adminUrl, disks, scratch } = parts;
  const rollback =
    (detail: string, { isStandby = false, times = 1 } = {}): Injector =>
    async (_, taken) => {
      if (taken.has(history)) return undefined;
      taken.add(history);
      const copy = mkdtempSync(join(scratch, 'copy-'));
      // Postgres may have to run as another user, who must be able to enter.
      chmodSync(copy, 0o755);
      await copyCluster(postgres.pid(), disks.postgres, copy);
      const promote = isStandby ? await standbyOf(copy, scratch) : async () => {};
      const mend = async () => {
        for (let time = 1; time <= times; time += 1) {
          if (time > 1) await pause(betweenRollbacksMs);
          await postgres.end('SIGKILL');
          await promote();
          // In the place of the former one, where all services look for it.
          await copyCluster(undefined, copy, disks.postgres);
          if (time === times) rmSync(copy, { recursive: true, force: true });
          await postgres.start();
        }
      };
      return { members: [postgres.name], detail, loses: true, mend };
    };
  /** A restore of everything into an empty stack: nobody runs, and the broker remembers nothing. */
  const restored: Injector = async (random, taken) => {
    const names = [nats.name, ...instances.map(({ name }) => name)];
    if (names.some((name) => taken.has(name))) return undefined;
    // A state of before the first number is that of a new system, which nobody can tell from it (ADR 0071).
    const issued = 'select from card.workstreams where last_number > 0 limit 1';
    if ((await runStatements(adminUrl, [issued])).length === 0) return undefined;
    const back = await rollback('everything stopped, the broker wiped, the databases set back to when this began')(
      random,
      taken,
    );
    if (!back) return undefined;
    for (const name of names) taken.add(name);
    const mend = async () => {
      await Promise.all(instances.map((instance) => instance.end('SIGKILL')));
      await nats.end('SIGKILL');
      rmSync(join(disks.nats, 'jetstream'), { recursive: true });
      await back.mend();
      await nats.start();
      await Promise.all(instances.map((instance) => instance.start()));
    };
    return { ...back, members: [...back.members, ...names], mend };
  };
  return {
    'everything-restored': restored,
    'volume-set-back': rollback('its volume set back to when this began'),
    'volume-set-back-twice': rollback('its volume set back to when this began, and soon after that once more', {
      times: 2,
    }),
    'standby-promoted': rollback('replaced by a standby that heard nothing since this began', { isStandby: true }),
  };
};
