import { join } from 'node:path';
import { ensureDatabase, postgresClient, runStatements } from '@cardinal/servers';
import { eventually, rounds, scratchFolder, startWorld, type World } from '@cardinal/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { doctor } from '../doctor.ts';
import { type Body, together, untilAnswered, workspaceWithBoard } from '../workspace.ts';
import {
  amid,
  drill,
  expectLossWithoutReuse,
  expectNoReuse,
  expectNothingHappened,
  modes,
  modesOf,
  wipeBroker,
} from './drill.ts';
import { describeImports } from './imports.ts';
import type { Load } from './load.ts';
import { copySchema, restoreSchema } from './schema-copy.ts';

const client = await postgresClient();
if (typeof client === 'string') process.stdout.write(`NOT TRIED: restoring a dump, ${client}\n`);

let world: World;
beforeAll(async () => {
  // Each of two instances has to learn of a rollback.
  const instances = { card: 2, identifier: 2 };
  world = await startWorld({
    apart: true,
    ownPostgres: true,
    instances,
    env: { gateway: { RATE_LIMIT_MAX: '1000000' } },
  });
  return () => world.stop();
});

const pg = (...[program, args]: Parameters<Exclude<typeof client, string>>) => {
  if (typeof client === 'string') throw new Error(client);
  return client(program, args);
};

const dump = async () => {
  const file = join(scratchFolder('dump'), 'world.dump');
  await pg('pg_dump', ['--format=custom', '--compress=0', `--file=${file}`, world.adminUrl]);
  return file;
};

/** Restores a dump into a new database, which replaces the live one under its name. */
const intoNewDatabase = async (file: string) => {
  const { serverUrl } = world.ownPostgres();
  const name = new URL(world.adminUrl).pathname.slice(1);
  await pg('pg_restore', ['--exit-on-error', `--dbname=${await ensureDatabase(serverUrl, 'restored')}`, file]);
  await runStatements(serverUrl, [`alter database ${name} allow_connections false`]);
  // A database that somebody is still connected to cannot be renamed.
  await eventually(() =>
    runStatements(serverUrl, [
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
      `alter database ${name} rename to former`,
    ]),
  );
  await runStatements(serverUrl, [`alter database restored rename to ${name}`, 'drop database former']);
};

/** Restores a dump over the live database: completely, or not at all where a service holds a lock that it needs. */
const overTheLiving = (file: string) => {
  const options = ['--clean', '--if-exists', '--single-transaction', '--exit-on-error'];
  return eventually(() => pg('pg_restore', [...options, `--dbname=${world.adminUrl}`, file]));
};

// These come first: what others lose leaves differences that the doctor reports.
describeImports(() => world);

const crashAgainAndAgain = async (load: Load) => {
  for (let crash = 0; crash < rounds(10, 2); crash += 1) {
    await world.kill('postgres', 'SIGQUIT');
    await world.restart('postgres');
    await load.more(rounds(20, 12));
  }
};

const nothing =
  'loses nothing, no event neither, where the broker loses its store and Postgres crashes again and again';
it.each(modesOf(modes[0]))(`${nothing}, %s`, async (mode) => {
  const { client, column } = await workspaceWithBoard(world);
  const pay = await client.createWorkstream('PAY');
  const card = await client.createCard(column.id, 'of Payments', { workstream_id: pay.id });
  const mend = async () => {
    const body = { name: 'Payments' };
    const renamed = await untilAnswered(() => client.patch(`/workstreams/${pay.id}`, { body, ifMatch: pay.version }));
    expect(renamed.status).toBe(200);
    const report = await eventually(() => doctor(world.adminUrl), { everyMs: 2_000 });
    expect(report).toContain('ok       the card service has taken the internal events of the identifier service');
    expect((await client.card(card.id)).workstream.name).toBe('Payments');
  };
  const drilled = { name: 'broker wiped, then immediate shutdowns of Postgres', mode, keep: async () => {}, mend };
  expectNothingHappened(
    await drill(world, { ...drilled, rollback: () => wipeBroker(world), next: crashAgainAndAgain }),
  );
});

describe('everything in one database', () => {
  it.each(modesOf(modes[0]))(
    'gives no identifier to a second card where a standby takes its place that lacks the last seconds, %s',
    async (mode) => {
      const standby = await world.ownPostgres().standby(false);
      const keep = async () => standby.cut();
      const name = 'asynchronous standby promoted';
      const told = 'event';
      expectLossWithoutReuse(await drill(world, { name, mode, keep, rollback: standby.promote, told }));
    },
  );

  describe.skipIf(typeof client === 'string')('restored from a dump', () => {
    it.each(modesOf(modes[0]))('gives no identifier to a second card in a new database, %s', async (mode) => {
      const name = 'dump restored into a new database';
      expectLossWithoutReuse(await drill(world, { name, mode, keep: dump, rollback: intoNewDatabase }));
    });

    it.each(modesOf(modes[0]))('gives no identifier to a second card over the living one, %s', async (mode) => {
      const name = 'dump restored over the living database';
      expectLossWithoutReuse(await drill(world, { name, mode, keep: dump, rollback: overTheLiving }));
    });
  });

  describe.each(modesOf(modes[0]))('one schema alone set back, %s', (mode) => {
    const setBack = (schema: 'card' | 'identifier', more: Partial<Parameters<typeof drill>[1]>) =>
      drill(world, {
        name: `${schema} schema alone set back`,
        mode,
        keep: () => copySchema(world, schema),
        rollback: () => restoreSchema(world, schema),
        ...more,
      });

    it('gives no identifier to a second card where it is that of the card service', async () => {
      expectLossWithoutReuse(await setBack('card', { told: 'card' }));
    });

    it('loses nothing where it is the ledger, once the doctor has filled it again', async () => {
      // It goes on saying what it cannot repair: numbers that were skipped in the other drills.
      const mend = () => doctor(world.adminUrl, '--repair').catch(() => {});
      const figures = await setBack('identifier', { mend });
      expectNoReuse(figures);
      expect(figures.lost).toBe(0);
    });
  });

  // The last one: where the register was lost, what is made later begins above a margin.
  it.each(modesOf(modes[1]))(
    'gives none to a second card where its volume is set back, and the broker loses its store after that, %s',
    async (mode) => {
      const postgres = world.ownPostgres();
      let quiet: Body;
      const createQuiet = ({ create }: Load) => together(10, () => create(quiet.id));
      const figures = await drill(world, {
        name: 'volume set back, then broker wiped',
        mode,
        keep: async (load) => {
          quiet = await load.client.createWorkstream('QUIET');
          await load.create(quiet.id);
          const kept = await postgres.copy();
          // What only the register knows then, since nobody works there between the rollback and its loss.
          await createQuiet(load);
          return kept;
        },
        rollback: postgres.setBack,
        told: 'event',
        next: async (load) => {
          await amid(world, mode, () => wipeBroker(world));
          await createQuiet(load);
          await load.more(rounds(40, 16));
        },
      });
      // No service ran while the broker lost it.
      expectLossWithoutReuse(figures, Math.max(1_000, 10 * figures.answered));
    },
  );
});
