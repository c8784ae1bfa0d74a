import { migrate } from '@cardinal/db';
import { tableTypes, testDatabase } from '@cardinal/testkit';
import { expect, test } from 'vitest';
import { migrations } from '../src/migrations/index.ts';

test('the table types are those of the migrated schema', async () => {
  const { urls } = await testDatabase();
  await migrate({ url: urls.event, migrations });
  await expect(await tableTypes(urls.event, 'event')).toMatchFileSnapshot('../src/tables.gen.ts');
});
