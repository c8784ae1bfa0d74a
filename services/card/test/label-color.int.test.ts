import { migrate, openDatabase } from '@cardinal/db';
import { testDatabase } from '@cardinal/testkit';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import type { Tables } from '../src/database.ts';
import { migrations } from '../src/migrations/index.ts';

test('labels and stored answers of the time when the color had another spelling keep it', async () => {
  const url = (await testDatabase()).urls.card;
  const { '0005_label_color': _, ...former } = Object.fromEntries(
    Object.entries(migrations).filter(([name]) => name <= '0005_label_color'),
  );
  await migrate({ url, migrations: former });
  const db = openDatabase<Tables>({ url, name: 'card', poolSize: 1 });
  const [workspace, id, now] = [v7(), v7(), new Date()];
  const answer = { id, type: 'label', version: 1, name: 'Bug', colour: '#1d76db' };
  await db.transaction(async (tx) => {
    await sql`insert into labels values (${workspace}, ${id}, 1, 'Bug', '#1d76db', ${now}, ${now})`.execute(tx);
    await sql`insert into commands (workspace_id, id, fingerprint, response, created_at, ended_at)
      values (${workspace}, ${v7()}, 'f', ${JSON.stringify(answer)}, ${now}, ${now})`.execute(tx);
  });

  await migrate({ url, migrations });
  const labels = await db.read((tx) => tx.selectFrom('labels').select(['id', 'color']).execute());
  expect(labels).toEqual([{ id, color: '#1d76db' }]);
  const answers = await db.read((tx) => tx.selectFrom('commands').select('response').execute());
  expect(answers).toEqual([{ response: { id, type: 'label', version: 1, name: 'Bug', color: '#1d76db' } }]);
  await db.close();
});
