import { testDatabase } from '@cardinal/testkit';
import { type Kysely, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { migrate } from '../src/index.ts';
import { open, select } from './fixtures.ts';

const migration = (up: (db: Kysely<unknown>) => Promise<unknown>) => async () => ({
  up: async (db: Kysely<unknown>) => void (await up(db)),
});
const creating = (table: string) => migration((db) => sql`create table ${sql.table(table)} (id int)`.execute(db));

describe('migrate', () => {
  it('applies missing migrations, in the order of names, once', async () => {
    const { url } = await testDatabase();
    const first = { '0002_b': creating('b'), '0001_a': creating('a') };
    expect(await migrate({ url, migrations: first })).toEqual(['0001_a', '0002_b']);
    expect(await migrate({ url, migrations: { ...first, '0003_c': creating('c') } })).toEqual(['0003_c']);
    expect(await migrate({ url, migrations: { ...first, '0003_c': creating('c') } })).toEqual([]);
  });

  it('leaves nothing of a failed migration, and keeps those before it', async () => {
    const { url } = await testDatabase();
    const failing = migration((db) => sql`create table b (id int); create table a (id int)`.execute(db));
    await expect(migrate({ url, migrations: { '1': creating('a'), '2': failing } })).rejects.toThrow(/already exists/);
    const tables = `select to_regclass('a')::text as a, to_regclass('b')::text as b`;
    expect(await select(open(url), tables)).toEqual([{ a: 'a', b: null }]);
    expect(await migrate({ url, migrations: { '1': creating('a'), '2': creating('b') } })).toEqual(['2']);
  });

  it('runs once where several processes start at the same time', async () => {
    const { url } = await testDatabase();
    const migrations = { '1': creating('a'), '2': creating('b') };
    const applied = await Promise.all(Array.from({ length: 4 }, () => migrate({ url, migrations })));
    expect(applied.flat().sort()).toEqual(['1', '2']);
  });

  it('leaves the schema of a later release as it is', async () => {
    const { url } = await testDatabase();
    const former = { '1': creating('a') };
    await migrate({ url, migrations: { ...former, '2': creating('b') } });
    expect(await migrate({ url, migrations: former })).toEqual([]);
  });

  it("keeps apart from another service's migrations in the same database", async () => {
    const { urls } = await testDatabase();
    expect(await migrate({ url: urls.card, migrations: { '1': creating('a') } })).toEqual(['1']);
    expect(await migrate({ url: urls.identifier, migrations: { '1': creating('a') } })).toEqual(['1']);
  });

  it('lets a writer finish that waits for one of its tables and holds another, and is tried again', async () => {
    const { url } = await testDatabase();
    await migrate({ url, migrations: { '1': creating('a'), '2': creating('b') } });
    const db = open(url);
    const holdsB = Promise.withResolvers<void>();
    let tries = 0;
    let writing: Promise<unknown> | undefined;
    const altering = migration(async (tx) => {
      await sql`alter table a add column n int`.execute(tx);
      tries += 1;
      writing ??= db.transaction(async (writer) => {
        await sql`insert into b (id) values (1)`.execute(writer);
        holdsB.resolve();
        await sql`insert into a (id) values (1)`.execute(writer);
      });
      await holdsB.promise;
      await sql`alter table b add column n int`.execute(tx);
    });
    expect(await migrate({ url, migrations: { '1': creating('a'), '2': creating('b'), '3': altering } })).toEqual([
      '3',
    ]);
    await writing;
    expect(tries).toBe(2);
    expect(await select(db, 'select id, n from a')).toEqual([{ id: 1, n: null }]);
  });

  it('is not bound by the time limits of the role', async () => {
    const { url, adminUrl } = await testDatabase();
    const admin = open(adminUrl);
    const database = new URL(url).pathname.slice(1);
    await admin.read((tx) =>
      sql`alter role cardinal_card in database ${sql.id(database)} set statement_timeout = '20ms'`.execute(tx),
    );
    const slow = migration((db) => sql`select pg_sleep(0.1)`.execute(db));
    expect(await migrate({ url, migrations: { '1': slow } })).toEqual(['1']);
  });
});
