import { migrate } from '@cardinal/db';
import { tableTypes, testDatabase } from '@cardinal/testkit';
import { expect, test } from 'vitest';
import { migrations } from '../src/migrations/index.ts';

test('the table types are those of the migrated schema', async () => {
  const { urls } = await testDatabase();
  await migrate({ url: urls.access, migrations });
  await expect(await tableTypes(urls.access, 'access')).toMatchFileSnapshot('../src/tables.gen.ts');
});
