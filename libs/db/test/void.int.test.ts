import { CardinalError } from '@cardinal/contracts';
import { newContext, runInContext } from '@cardinal/runtime';
import { testDatabase } from '@cardinal/testkit';
import { sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openDatabase } from '../src/index.ts';

it('what is void at its deadline is not committed after it, nor begun', async () => {
  const { url } = await testDatabase();
  const db = openDatabase<{ kept: { n: number } }>({ url, name: 'test' });
  onTestFinished(() => db.close());
  await db.statement((tx) => sql`create table kept (n integer)`.execute(tx));
  const context = { ...newContext({ timeoutMs: 300 }), voidAtDeadline: true };
  const isOver = () => vi.waitFor(() => expect(Date.now()).toBeGreaterThan(context.deadline), { timeout: 10_000 });
  const isUnavailable = (error: unknown) => error instanceof CardinalError && error.code === 'unavailable';

  const late = runInContext(context, () =>
    db.transaction(async (tx) => {
      await sql`insert into kept values (1)`.execute(tx);
      await isOver();
    }),
  );
  await expect(late).rejects.toSatisfy(isUnavailable);
  const begun = runInContext(context, () => db.statement((tx) => sql`insert into kept values (2)`.execute(tx)));
  await expect(begun).rejects.toSatisfy(isUnavailable);
  expect(await db.read((tx) => tx.selectFrom('kept').selectAll().execute())).toEqual([]);
});
