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

/** The pause between two rollbacks, ms: services meet the database (ARCHITECTURE, "Lineage"), and some writes follow. */
const betweenRollbacksMs = 3_000;
/** The resource that a rollback takes: only one happens at a time. */
const history = 'the history of the databases';

/**
 * Runs a copy as a standby without a primary while the fault lasts.
 * @returns a function that promotes the standby and stops it
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

/** Rollbacks of all databases together: everything written since the beginning of the fault is lost. */
export const rollbackFaults = (parts: Parts): Record<string, Injector> => {
  const { postgres, nats, instances, adminUrl, disks, scratch } = parts;
  const rollback =
    (detail: string, { isStandby = false, times = 1 } = {}): Injector =>
    async (_, taken) => {
      if (taken.has(history)) return undefined;
      taken.add(history);
      const copy = mkdtempSync(join(scratch, 'copy-'));
      // Postgres may run as another user, which must be able to enter.
      chmodSync(copy, 0o755);
      await copyCluster(postgres.pid(), disks.postgres, copy);
      const promote = isStandby ? await standbyOf(copy, scratch) : async () => {};
      const mend = async () => {
        for (let time = 1; time <= times; time += 1) {
          if (time > 1) await pause(betweenRollbacksMs);
          await postgres.end('SIGKILL');
          await promote();
          // It replaces the former data: the services expect the server there.
          await copyCluster(undefined, copy, disks.postgres);
          if (time === times) rmSync(copy, { recursive: true, force: true });
          await postgres.start();
        }
      };
      return { members: [postgres.name], detail, loses: true, mend };
    };
  /** A restore of everything into an empty stack: no service runs, and the broker has lost its storage. */
  const restored: Injector = async (random, taken) => {
    const names = [nats.name, ...instances.map(({ name }) => name)];
    if (names.some((name) => taken.has(name))) return undefined;
    // A state before the first number cannot be distinguished from a new system (ADR 0071).
    const issued = 'select from card.workstreams where last_number > 0 limit 1';
    if ((await runStatements(adminUrl, [issued])).length === 0) return undefined;
    const back = await rollback('everything stopped, the broker wiped, the databases as when the fault began')(
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
    'volume-set-back': rollback('its volume as when the fault began'),
    'volume-set-back-twice': rollback('its volume as when the fault began, and soon after that once more', {
      times: 2,
    }),
    'standby-promoted': rollback('replaced by a standby without any write since the fault began', { isStandby: true }),
  };
};
