import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { databaseOwners } from '@cardinal/contracts';
import { openDatabase } from '@cardinal/db';
import { runStatements } from '@cardinal/servers';
import { sql } from 'kysely';
import { leaveNoRoom, leaveRoom } from './disk.ts';
import { everyMs, killed, paused, repeatedly } from './instance-faults.ts';
import type { Parts } from './parts.ts';
import { rollbackFaults } from './rollback-faults.ts';
import type { Fault, Injector } from './system.ts';

/** More connections than Postgres allows. */
const maxSlots = 250;
const holdMs = 600_000;
const holderName = 'cardinal-chaos-holder';

const slots = `
  select current_setting('max_connections')::int - (count(*) filter (where backend_type = 'client backend'))::int as free,
    (count(*) filter (where application_name = '${holderName}'))::int as held
  from pg_stat_activity`;
const endHolders = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = '${holderName}'`;
const endServices = `select pg_terminate_backend(pid) from pg_stat_activity where usename like 'cardinal\\_%'`;

/** Injects a fault only while no other one hits that server. */
const aloneOn = (server: string, faults: Record<string, Injector>): Record<string, Injector> => {
  const alone =
    (inject: Injector): Injector =>
    async (random, taken) => {
      if (taken.has(server)) return undefined;
      taken.add(server);
      return inject(random, taken);
    };
  return Object.fromEntries(Object.entries(faults).map(([kind, inject]) => [kind, alone(inject)]));
};

const natsFaults = ({ nats, disks }: Parts): Record<string, Injector> => {
  const members = [nats.name];
  return {
    'nats-kill': () => killed([nats]),
    'nats-pause': () => paused(nats),
    'nats-wipe': async () => {
      await nats.end('SIGKILL');
      rmSync(join(disks.nats, 'jetstream'), { recursive: true });
      // The start declares its buckets again, as the deploy step does.
      return { members, detail: 'killed, its storage wiped', mend: () => nats.start() };
    },
  };
};

/**
 * Faults of the connections to Postgres.
 * @param adminUrl of a superuser
 */
const connectionFaults = (postgres: string, adminUrl: string): Record<string, Injector> => {
  const members = [postgres];
  return {
    'backends-terminated': async (random) => {
      const owner = random.pick(databaseOwners);
      const ofOwner = `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'cardinal_${owner}'`;
      let count = 0;
      const end = repeatedly(async () => {
        count += (await runStatements(adminUrl, [ofOwner])).length;
      });
      const fault: Fault = {
        members,
        detail: `of ${owner}`,
        mend: async () => {
          await end();
          fault.detail = `of ${owner}: ${count}`;
        },
      };
      return fault;
    },
    'connections-exhausted': async () => {
      // It connects before every slot is taken.
      const ender = openDatabase({ url: adminUrl, name: 'cardinal-chaos', poolSize: 1 });
      const holder = openDatabase({ url: adminUrl, name: holderName, poolSize: maxSlots, statementTimeoutMs: holdMs });
      const holding: Promise<unknown>[] = [];
      let [over, most] = [false, 0];
      const hold = async () => {
        // A read whose connection was terminated is repeated.
        await holder.read(async (db) => void (over || (await sql`select pg_sleep(600)`.execute(db))));
      };
      const end = repeatedly(async () => {
        const { rows } = await ender.read((db) => sql.raw<{ free: number; held: number }>(slots).execute(db));
        const { free = 0, held = 0 } = rows[0] ?? {};
        for (let taken = 0; taken < free; taken += 1) holding.push(hold().catch(() => {}));
        most = Math.max(most, held);
        await ender.read((db) => sql.raw(endServices).execute(db));
      });
      const fault: Fault = {
        members,
        detail: 'every slot taken',
        mend: async () => {
          over = true;
          await end();
          const ended = Promise.all(holding).then(() => true);
          // A connection that is still being opened cannot be terminated yet.
          do await ender.read((db) => sql.raw(endHolders).execute(db));
          while (!(await Promise.race([ended, pause(everyMs, false)])));
          await Promise.all([ender.close(), holder.close()]);
          fault.detail = `${most} slots taken`;
        },
      };
      return fault;
    },
  };
};

/** Disks that are full for a while. Space that becomes free is taken again. */
const diskFaults = ({ postgres, nats, disks }: Parts): Record<string, Injector> => {
  const full = (folder: string, member: string, afterwards: () => Promise<void>): Promise<Fault> => {
    const end = repeatedly(() => leaveNoRoom(folder));
    const mend = async () => {
      await end();
      leaveRoom(folder);
      await afterwards();
    };
    return Promise.resolve({ members: [member], detail: 'no room on its disk', mend });
  };
  return {
    'database-full': () => full(disks.postgres, postgres.name, async () => {}),
    // A stream that once could not be written accepts nothing until the server is restarted, as `npm start` does.
    'broker-full': () =>
      full(disks.nats, nats.name, async () => {
        await nats.end();
        await nats.start();
      }),
  };
};

/** Faults of Postgres and NATS, one at a time of each, and the reasons why some cannot be injected here. */
export const serverFaults = (
  parts: Parts,
): { faults: Record<string, Injector>; impossible: Record<string, string> } => {
  const ofDisks = diskFaults(parts);
  const all = {
    ...aloneOn(parts.nats.name, natsFaults(parts)),
    ...aloneOn(parts.postgres.name, {
      'postgres-immediate': async () => {
        await parts.postgres.end('SIGQUIT');
        const mend = () => parts.postgres.start();
        return { members: [parts.postgres.name], detail: 'immediate shutdown', mend };
      },
      ...connectionFaults(parts.postgres.name, parts.adminUrl),
      ...rollbackFaults(parts),
    }),
    ...(parts.noDisk === undefined
      ? {
          ...aloneOn(parts.postgres.name, { 'database-full': ofDisks['database-full'] as Injector }),
          ...aloneOn(parts.nats.name, { 'broker-full': ofDisks['broker-full'] as Injector }),
        }
      : {}),
  };
  const why = `no tmpfs can be mounted: ${parts.noDisk}`;
  return { faults: all, impossible: parts.noDisk === undefined ? {} : { 'database-full': why, 'broker-full': why } };
};
