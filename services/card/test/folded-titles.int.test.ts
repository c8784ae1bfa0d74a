import { migrate, openDatabase } from '@cardinal/db';
import { testDatabase } from '@cardinal/testkit';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Tables } from '../src/database.ts';
import { migrations } from '../src/migrations/index.ts';

let db: ReturnType<typeof openDatabase<Tables>>;
const workspace = v7();

/** The database of the former build, with a card in it, brought up to date. */
beforeAll(async () => {
  const { urls } = await testDatabase();
  const former = Object.entries(migrations).filter(([name]) => name < '0007_folded_titles');
  await migrate({ url: urls.card, migrations: Object.fromEntries(former) });
  db = openDatabase<Tables>({ url: urls.card, name: 'test' });
  const [board, column, workstream] = [v7(), v7(), v7()];
  const write = async (statement: ReturnType<typeof sql>) => db.transaction((tx) => statement.execute(tx));
  await write(sql`
    insert into boards (workspace_id, id, version, name, visibility, created_by, created_at, updated_at)
    values (${workspace}, ${board}, 1, 'Board', 'workspace', ${v7()}, now(), now())`);
  await write(sql`
    insert into columns (workspace_id, id, version, board_id, name, position, created_at, updated_at)
    values (${workspace}, ${column}, 1, ${board}, 'Column', 1, now(), now())`);
  await write(sql`
    insert into workstreams (workspace_id, id, version, name, prefix) values (${workspace}, ${workstream}, 1, 'M', 'MAIN')`);
  await write(sql`
    insert into cards (workspace_id, id, version, board_id, column_id, position, title, created_by, created_at, updated_at,
      workstream_id, identifier)
    values (${workspace}, ${v7()}, 1, ${board}, ${column}, 1, 'Große Straße', ${v7()}, now(), now(), ${workstream}, 'MAIN-1')`);
  await migrate({ url: urls.card, migrations });
});
afterAll(() => db.close());

test('cards that were there before are found too', async () => {
  const found = await db.read((tx) =>
    tx.selectFrom('cards').select(['title', 'title_folded']).where('workspace_id', '=', workspace).execute(),
  );
  expect(found).toEqual([{ title: 'Große Straße', title_folded: 'grosse strasse' }]);
});

test('every character is folded as Unicode says, which Postgres knows from version 18 on', async () => {
  const { rows } = await db.read((tx) =>
    sql<{ block: string }>`
      with blocks (block, characters) as (
        select n / 1024, string_agg(chr(n), '' order by n)
        from generate_series(1, x'2ffff'::int) as n where n not between x'd800'::int and x'dfff'::int group by 1
      )
      select to_hex(block * 1024) as block from blocks
      where fold_case(characters) <> casefold(characters collate "pg_unicode_fast")`.execute(tx),
  );
  expect(rows).toEqual([]);
});
