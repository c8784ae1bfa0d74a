import { testDatabase } from '@cardinal/testkit';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { generateTableTypes } from '../src/codegen.ts';
import { migrate } from '../src/index.ts';
import { migrations, open } from './fixtures.ts';

it('writes the types of one schema, as openDatabase reads them', async () => {
  const { urls } = await testDatabase();
  await migrate({ url: urls.card, migrations });
  await open(urls.card).transaction((tx) =>
    sql`create table shapes (
      big int8 not null, moment timestamptz not null, maybe timestamptz, ids uuid[] not null default '{}', x float8
    )`.execute(tx),
  );
  await migrate({
    url: urls.identifier,
    migrations: { '1': async () => ({ up: async (db) => void (await sql`create table others (id int)`.execute(db)) }) },
  });
  const text = await generateTableTypes({ url: urls.card, schema: 'card' });
  await expect(text).toMatchFileSnapshot('expected-tables.txt');
  expect(await generateTableTypes({ url: urls.card, schema: 'card' })).toBe(text);
});
