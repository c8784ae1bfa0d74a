import { migrate } from '@cardinal/db';
import { tableTypes, testDatabase } from '@cardinal/testkit';
import { expect, test } from 'vitest';
import { migrations } from '../src/migrations/index.ts';

test('the table types are those of the migrated schema', async () => {
  const { urls } = await testDatabase();
  await migrate({ url: urls.attachment, migrations });
  await expect(await tableTypes(urls.attachment, 'attachment')).toMatchFileSnapshot('../src/tables.gen.ts');
});
