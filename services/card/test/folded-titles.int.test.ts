import { openDatabase } from '@cardinal/db';
import { testDatabase } from '@cardinal/testkit';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';

test('every character is folded as Unicode says, which Postgres knows from version 18 on', async () => {
  const { url } = await testDatabase({ service: 'card' });
  const db = openDatabase({ url, name: 'test' });
  onTestFinished(() => db.close());
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
