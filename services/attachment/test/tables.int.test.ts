import { migrate } from '@cardinal/db';
import { generateTableTypes } from '@cardinal/db/codegen';
import { testDatabase } from '@cardinal/testkit';
import { expect, test } from 'vitest';
import { migrations } from '../src/migrations/index.ts';

test('the table types are those of the migrated schema', async () => {
  const { urls } = await testDatabase();
  await migrate({ url: urls.attachment, migrations });
  const text = await generateTableTypes({ url: urls.attachment, schema: 'attachment' });
  await expect(text).toMatchFileSnapshot('../src/tables.gen.ts');
});
