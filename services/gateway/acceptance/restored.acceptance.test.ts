import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { compileCache, runStatements } from '@cardinal/servers';
import { eventually, rounds, startWorld, type World } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { type Body, type Client, together, untilAnswered, workspaceWithBoard } from './workspace.ts';

type Service = 'card' | 'identifier';

/** The tables of a service, each with those of its columns that Postgres does not make up itself. */
const tablesOf = async (world: World, service: Service) => {
  const rows = await runStatements(world.adminUrl, [
    `select table_name as name, string_agg(quote_ident(column_name), ', ') as columns from information_schema.columns
     where table_schema = '${service}' and table_name not like 'kysely%' and is_generated = 'NEVER' group by table_name`,
  ]);
  return rows as { name: string; columns: string }[];
};

/** Keeps a copy of a service's tables, as a dump does. */
const backUp = async (world: World, service: Service) => {
  const copies = (await tablesOf(world, service)).map(
    ({ name, columns }) => `create table backup_${service}.${name} as select ${columns} from ${service}.${name};`,
  );
  await runStatements(world.adminUrl, [`create schema backup_${service}; ${copies.join(' ')}`]);
};

/** Sets a service's tables back to that copy; like a server that is restored, it breaks the connections to it. */
const restore = async (world: World, service: Service) => {
  const tables = await tablesOf(world, service);
  const all = tables.map(({ name }) => `${service}.${name}`).join(', ');
  const fill = tables.map(
    ({ name, columns }) =>
      `insert into ${service}.${name} (${columns}) select ${columns} from backup_${service}.${name};`,
  );
  // Keys to other tables hold again at the end.
  const statements = `set session_replication_role = replica; truncate ${all}; ${fill.join(' ')}
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = '${service}'; reset session_replication_role`;
  // A transaction of the service may lock the tables in another order; then one of the two is undone.
  await eventually(() => runStatements(world.adminUrl, [statements]));
};

const script = join(import.meta.dirname, '../../../deploy/doctor/src/main.ts');
const doctor = (world: World, ...args: string[]) =>
  new Promise<string>((resolve) => {
    const env = { ...compileCache, DATABASE_URL: world.adminUrl };
    execFile(process.execPath, [script, '--patience', '5', ...args], { env }, (_, out) => resolve(out));
  });

/** Clients that create and transfer all the while, and what each identifier named that they were told. */
const startLoad = (client: Client, columnId: string, target: Body) => {
  const named = new Map<string, string>();
  const clashes: string[] = [];
  let answered = 0;
  let stopped = false;
  const told = ({ id, identifier }: Body) => {
    answered += 1;
    const known = named.get(identifier) ?? id;
    named.set(identifier, known);
    if (known !== id) clashes.push(`${identifier} named ${known} and ${id}`);
  };
  const done = together(6, async (n) => {
    while (!stopped) {
      const made = await untilAnswered(() =>
        client.post(`/columns/${columnId}/cards`, { body: { title: `card of ${n}`, workstream_id: target.id } }),
      );
      if (made.status !== 201) continue;
      told(made.body.data);
      const moved = await client.transfer(made.body.data, (await mainOf(client)).id);
      if (moved.status === 200) told(moved.body.data);
    }
  });
  return {
    named,
    clashes,
    /** Resolves when so many more requests were answered, and not before `ageMs` have passed. */
    more: async (count: number, ageMs = 0) => {
      const goal = answered + count;
      const until = Date.now() + ageMs;
      const isDone = () => {
        expect(answered).toBeGreaterThan(goal);
        expect(Date.now()).toBeGreaterThanOrEqual(until);
      };
      await eventually(isDone, { timeoutMs: 60_000 + ageMs });
    },
    stop: async () => {
      stopped = true;
      await done;
    },
  };
};

/** How old a backup is when it is restored: as fresh as can be in the usual run. */
const backupAgeMs = rounds(300_000, 0);

const mains = new Map<Client, Body>();
const mainOf = async (client: Client): Promise<Body> => {
  const main = mains.get(client) ?? (await client.data(client.get('/workstreams')))[0];
  mains.set(client, main);
  return main;
};

describe('databases restored from a backup under load', () => {
  it(
    'never give an identifier that somebody saw to another card; the doctor tells what is missing and mends it',
    async () => {
      const env = { gateway: { RATE_LIMIT_MAX: '1000000' } };
      const world = await startWorld({ instances: { card: 2, identifier: 2 }, env });
      try {
        const { client, column } = await workspaceWithBoard(world);
        const pay = await client.createWorkstream('PAY');
        const kept = await client.createCard(column.id, 'kept', { workstream_id: pay.id });
        await eventually(async () => expect(await unrecorded(world)).toBe(0));
        await backUp(world, 'card');
        const load = startLoad(client, column.id, pay);
        await load.more(40, backupAgeMs);
        await restore(world, 'card');
        await load.more(40);
        await load.stop();
        expect(load.clashes).toEqual([]);
        await eventually(async () => expect(await unrecorded(world)).toBe(0));
        const afterCards = await doctor(world);
        expect(afterCards).toMatch(/PAY has \d+ numbers up to \d+; missing: /);
        expect(afterCards).toMatch(/card [^ ]+: card says nothing, identifier \["MAIN-\d+", "PAY-\d+"\]/);

        await backUp(world, 'identifier');
        const later = await client.createWorkstream('LATER');
        const filed = await client.createCard(column.id, 'filed', { workstream_id: later.id });
        const again = startLoad(client, column.id, pay);
        await again.more(40, backupAgeMs);
        await restore(world, 'identifier');
        await again.more(40);
        await again.stop();
        expect(again.clashes).toEqual([]);
        for (const [identifier, id] of again.named) expect(load.named.get(identifier) ?? id).toBe(id);
        await eventually(async () => expect(await unrecorded(world)).toBe(0));

        expect(await doctor(world, '--repair')).toContain('LATER');
        for (const [identifier, id] of [...again.named, [kept.identifier, kept.id], [filed.identifier, filed.id]]) {
          const { status, body } = await client.get(`/cards/by-identifier/${identifier}`);
          expect([status, body.data?.card.id]).toEqual([200, id]);
        }
        const next = await client.createCard(column.id, 'next', { workstream_id: later.id });
        expect(next.identifier).toBe('LATER-2');
      } finally {
        await world.stop();
      }
    },
    600_000 + 5 * backupAgeMs,
  );
});

const unrecorded = async (world: World) => {
  const [row] = await runStatements(world.adminUrl, [
    'select count(*) as count from card.issued where recorded_at is null',
  ]);
  return (row as { count: number }).count;
};
