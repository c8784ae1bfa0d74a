import { setImmediate } from 'node:timers/promises';
import { newContext, runInContext } from '@cardinal/runtime';
import { startProxy, testDatabase } from '@cardinal/testkit';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';

import { eventually, open, select } from './fixtures.ts';

const unavailable = expect.objectContaining({ code: 'unavailable' });

async function withTable() {
  const { url, adminUrl } = await testDatabase();
  const db = open(url);
  await db.transaction((tx) => sql`create table things (id int primary key, n int not null)`.execute(tx));
  await db.transaction((tx) => sql`insert into things values (1, 0), (2, 0)`.execute(tx));
  return { url, adminUrl, db };
}

const total = async (db: Parameters<typeof select>[0]) =>
  (await select<{ n: number }>(db, 'select sum(n)::int as n from things'))[0]?.n;

describe('a full disk', () => {
  it('is unavailable, and fails the check until there is room again', async () => {
    const { adminUrl, db } = await withTable();
    const admin = open(adminUrl);
    const run = (text: string) => admin.read((tx) => sql.raw(text).execute(tx));
    const noRoom = `language plpgsql as $$ begin raise 'no space left' using errcode = 'disk_full'; end $$`;
    await run(`create function no_room() returns event_trigger ${noRoom}`);
    await run(`create function no_rows() returns trigger ${noRoom}`);
    const things = (await admin.read((tx) =>
      sql<{ name: string }>`select oid::regclass::text as name from pg_class where relname = 'things'`.execute(tx),
    )) as { rows: { name: string }[] };
    const table = things.rows[0]?.name;
    await run('create event trigger full_disk on ddl_command_start execute function no_room()');
    await db.check();
    await run('alter event trigger full_disk disable');
    await run(`create trigger full_table before insert on ${table} execute function no_rows()`);
    await run('alter event trigger full_disk enable');

    const insert = () => db.transaction((tx) => sql`insert into things values (3, 0)`.execute(tx));
    await expect(insert()).rejects.toEqual(unavailable);
    expect(await total(db)).toBe(0);
    await expect(db.check()).rejects.toEqual(unavailable);
    await run('alter event trigger full_disk disable');
    await db.check();
    await run('alter event trigger full_disk enable');
    await db.check();
  });
});

describe('openDatabase', () => {
  it('reads int8 as number, timestamptz as Date, jsonb parsed, uuid[] as array', async () => {
    const { db } = await withTable();
    const [row] = await select(
      db,
      `select 9007199254740991::int8 as big, '2026-01-02T03:04:05.678+02'::timestamptz as moment,
        '{"a": [1]}'::jsonb as json, array['01a1fd98-6431-7592-9a6f-e51f9cc889cf']::uuid[] as ids`,
    );
    expect(row).toEqual({
      big: 9007199254740991,
      moment: new Date('2026-01-02T01:04:05.678Z'),
      json: { a: [1] },
      ids: ['01a1fd98-6431-7592-9a6f-e51f9cc889cf'],
    });
  });

  it('passes on our own errors, with their code and without the quoted row', async () => {
    const { db } = await withTable();
    const failing = db.transaction((tx) => sql`insert into things values (1, 4711)`.execute(tx));
    const error = await failing.catch((thrown) => thrown);
    expect(error).toMatchObject({ code: '23505', constraint: 'things_pkey' });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toMatch(/Key \(id\)/);
  });
});

describe('unavailable', () => {
  it('where the server refuses the role or the database, as after a password changed', async () => {
    const { url } = await testDatabase();
    const [wrong, gone] = [new URL(url), new URL(url)];
    wrong.password = 'of yesterday';
    gone.pathname = '/no_such_database';
    for (const { href } of [wrong, gone]) await expect(select(open(href), 'select 1')).rejects.toEqual(unavailable);
  });

  it('where no server listens, at once', async () => {
    const db = open('postgres://nobody@127.0.0.1:1/none');
    await expect(db.check()).rejects.toEqual(unavailable);
    await expect(db.transaction((tx) => sql`select 1`.execute(tx))).rejects.toEqual(unavailable);
  });

  it('after a statement that takes too long', async () => {
    const { url } = await withTable();
    const db = open(url, { statementTimeoutMs: 50 });
    await expect(db.read((tx) => sql`select pg_sleep(20)`.execute(tx))).rejects.toEqual(unavailable);
    await db.check();
  });

  it('once closed', async () => {
    const { url } = await withTable();
    const db = open(url);
    await db.check();
    await db.close();
    await expect(db.check()).rejects.toEqual(unavailable);
  });
});

describe('a lost connection', () => {
  it('in the pool does not fail the next transaction and the next read', async () => {
    const { url } = await withTable();
    const proxy = await startProxy(url);
    const db = open(proxy.url, { poolSize: 4 });
    const fill = () => Promise.all(Array.from({ length: 4 }, () => db.check()));
    await fill();
    expect(proxy.connections()).toBe(4);
    proxy.cut();
    await db.transaction((tx) => sql`update things set n = n + 1 where id = 1`.execute(tx));
    await fill();
    proxy.cut();
    expect(await total(db)).toBe(1);
  });

  it('between two statements rolls back, is unavailable, and leaves the process alive', async () => {
    const { url } = await withTable();
    const proxy = await startProxy(url);
    const db = open(proxy.url);
    const cut = db.transaction(async (tx) => {
      await sql`update things set n = 7 where id = 1`.execute(tx);
      proxy.cut();
      // No query runs while the connection breaks.
      await eventually(() => proxy.connections()).toBe(0);
      await setImmediate();
      await sql`update things set n = 7 where id = 2`.execute(tx);
    });
    await expect(cut).rejects.toEqual(unavailable);
    expect(await total(db)).toBe(0);
  });

  it('during a statement does not run the transaction twice', async () => {
    const { url } = await withTable();
    const proxy = await startProxy(url);
    const db = open(proxy.url);
    let runs = 0;
    proxy.cutAfter('n = n + 1');
    const cut = db.transaction(async (tx) => {
      runs += 1;
      await sql`update things set n = n + 1 where id = 1`.execute(tx);
    });
    await expect(cut).rejects.toEqual(unavailable);
    expect(runs).toBe(1);
    await eventually(() => total(db)).toBe(0);
  });

  it('at COMMIT is unavailable, although the commit happened', async () => {
    const { url } = await withTable();
    const proxy = await startProxy(url);
    const db = open(proxy.url);
    await db.check();
    proxy.cutAfter('commit');
    const cut = db.transaction((tx) => sql`update things set n = 3 where id = 1`.execute(tx));
    await expect(cut).rejects.toEqual(unavailable);
    expect(await total(db)).toBe(3);
  });

  it('that the server ends while idle is replaced', async () => {
    const { url, adminUrl } = await withTable();
    const db = open(url);
    await db.check();
    const admin = open(adminUrl);
    await admin.read((tx) =>
      sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`.execute(tx),
    );
    expect(await total(db)).toBe(0);
  });

  it('is dropped when the server stays silent, and never used again', async () => {
    const { url } = await withTable();
    const proxy = await startProxy(url);
    const { createPool } = await import('../src/pool.ts');
    const pool = await createPool({ connectionString: proxy.url, max: 1, query_timeout: 100 });
    const first = await pool.connect();
    await first.query('select 1', []);
    proxy.mute();
    await expect(first.query('select 2', [])).rejects.toThrow('Query read timeout');
    await expect(first.query('rollback', [])).rejects.toThrow('Connection terminated');
    first.release();
    proxy.unmute();
    const second = await pool.connect();
    expect((await second.query<{ n: number }>('select 3 as n', [])).rows).toEqual([{ n: 3 }]);
    second.release();
    await pool.end();
  });

  it('is dropped with all others to a silent server: requests do not wait for each of them', async () => {
    const { url } = await withTable();
    const proxy = await startProxy(url);
    const { createPool } = await import('../src/pool.ts');
    const server = { generation: 0 };
    const pool = await createPool({ connectionString: proxy.url, max: 2, query_timeout: 100 }, server);
    const [first, second] = [await pool.connect(), await pool.connect()];
    for (const one of [first, second]) await one.query('select 1', []);
    const before = server.generation;
    proxy.mute();
    await expect(first.query('select 2', [])).rejects.toThrow('Query read timeout');
    first.release();
    second.release();
    expect(server.generation).toBeGreaterThan(before);
    proxy.unmute();
    const third = await pool.connect();
    expect((await third.query<{ n: number }>('select 3 as n', [])).rows).toEqual([{ n: 3 }]);
    third.release();
    await pool.end();
  });
});

describe('a deadlock', () => {
  /** The sequence is not rolled back: the first statement of all ends, the second one succeeds. */
  const withDeadlock = async () => {
    const { db } = await withTable();
    await db.transaction(async (tx) => {
      await sql`create sequence tries`.execute(tx);
      await sql`
        create function deadlock_once() returns integer language plpgsql as $$ begin
          if nextval('tries') = 1 then raise exception using errcode = 'deadlock_detected'; end if;
          return 1;
        end $$`.execute(tx);
    });
    return db;
  };
  const raise = (tx: Parameters<Parameters<Awaited<ReturnType<typeof withDeadlock>>['read']>[0]>[0]) =>
    sql`update things set n = n + deadlock_once() where id = 1`.execute(tx);

  it('has a statement of its own run again', async () => {
    const db = await withDeadlock();
    await db.statement(raise);
    expect(await total(db)).toBe(1);
  });

  it('ends a transaction, which says that it can be sent again', async () => {
    const db = await withDeadlock();
    const message = 'Another write held the same rows';
    await expect(db.transaction(raise)).rejects.toMatchObject({ code: 'unavailable', message });
    expect(await total(db)).toBe(0);
  });
});

describe('a request that is void at its deadline', () => {
  it('is neither committed nor begun after it', async () => {
    const { db } = await withTable();
    const context = { ...newContext({ timeoutMs: 300 }), voidAtDeadline: true };
    const raise = (tx: Parameters<Parameters<typeof db.read>[0]>[0]) => sql`update things set n = n + 1`.execute(tx);
    const late = runInContext(context, () =>
      db.transaction(async (tx) => {
        await raise(tx);
        await eventually(() => Date.now()).toBeGreaterThan(context.deadline);
      }),
    );
    await expect(late).rejects.toEqual(unavailable);
    await expect(runInContext(context, () => db.statement(raise))).rejects.toEqual(unavailable);
    expect(await total(db)).toBe(0);
  });
});
