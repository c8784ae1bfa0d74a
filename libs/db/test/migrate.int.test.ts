import { testDatabase } from '@cardinal/testkit';
import { type Kysely, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { lastWithChains, migrate } from '../src/index.ts';
import { open, select } from './fixtures.ts';

const migration = (up: (db: Kysely<unknown>) => Promise<unknown>) => async () => ({
  up: async (db: Kysely<unknown>) => void (await up(db)),
});
const creating = (table: string) => migration((db) => sql`create table ${sql.table(table)} (id int)`.execute(db));

describe('migrate', () => {
  it('applies what is missing, in the order of names, once', async () => {
    const { url } = await testDatabase();
    const first = { '0002_b': creating('b'), '0001_a': creating('a') };
    expect(await migrate({ url, migrations: first })).toEqual(['0001_a', '0002_b']);
    expect(await migrate({ url, migrations: { ...first, '0003_c': creating('c') } })).toEqual(['0003_c']);
    expect(await migrate({ url, migrations: { ...first, '0003_c': creating('c') } })).toEqual([]);
  });

  it('leaves nothing of a migration that fails, and keeps those before it', async () => {
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

  it('leaves a schema as it is that a later release has brought further', async () => {
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

  it('outlasts the limits that the role carries', async () => {
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

describe('a migration that stands for a chain of former ones', () => {
  const chain = { '1': creating('a'), '2': creating('gone'), '3': creating('b') };
  const squashed = { last: '3', finish: async (db: Kysely<unknown>) => void (await sql`drop table gone`.execute(db)) };
  const own = async () => ({
    up: async (db: Kysely<unknown>) => void (await sql`create table a (id int); create table b (id int)`.execute(db)),
    squashed,
  });
  const names = (url: string) => select(open(url), 'select name from kysely_migration order by name');
  const tables = (url: string) =>
    select(open(url), `select tablename from pg_tables where schemaname = 'card' and tablename !~ 'kysely' order by 1`);

  it('takes over what the whole chain made, once where several processes start at the same time', async () => {
    const { url } = await testDatabase();
    await migrate({ url, migrations: chain });
    const migrations = { '0001_own': own };
    const applied = await Promise.all(Array.from({ length: 4 }, () => migrate({ url, migrations })));
    expect(applied.flat()).toEqual([]);
    expect(await names(url)).toEqual([{ name: '0001_own' }]);
    expect(await tables(url)).toEqual([{ tablename: 'a' }, { tablename: 'b' }]);
    expect(await migrate({ url, migrations: { ...migrations, '0002_c': creating('c') } })).toEqual(['0002_c']);
  });

  it('makes all itself where there is nothing', async () => {
    const { url } = await testDatabase();
    expect(await migrate({ url, migrations: { '0001_own': own } })).toEqual(['0001_own']);
    expect(await tables(url)).toEqual([{ tablename: 'a' }, { tablename: 'b' }]);
  });

  it.each([
    ['a part of the chain', { '1': creating('a'), '2': creating('gone') }, '2'],
    ['more than the chain', { ...chain, '4': creating('c') }, '4'],
  ])('refuses a schema that has %s, and leaves it as it is', async (_, before, last) => {
    const { url } = await testDatabase();
    await migrate({ url, migrations: before });
    const kept = [await names(url), await tables(url)];
    await expect(migrate({ url, migrations: { '0001_own': own } })).rejects.toThrow(
      `The schema card was left at migration ${last}, and this build goes on from 3 alone: start that of commit ` +
        `${lastWithChains} once, which ends there, then this one`,
    );
    expect([await names(url), await tables(url)]).toEqual(kept);
  });

  it('leaves the chain as it was where it cannot be taken over', async () => {
    const { url } = await testDatabase();
    await migrate({ url, migrations: { ...chain, '2': creating('other') } });
    await expect(migrate({ url, migrations: { '0001_own': own } })).rejects.toThrow('"gone" does not exist');
    expect(await names(url)).toEqual([{ name: '1' }, { name: '2' }, { name: '3' }]);
  });

  it('leaves a schema as it is that a later release has brought further', async () => {
    const { url } = await testDatabase();
    await migrate({ url, migrations: { '0001_own': own, '0002_c': creating('c') } });
    expect(await migrate({ url, migrations: { '0001_own': own } })).toEqual([]);
  });
});
