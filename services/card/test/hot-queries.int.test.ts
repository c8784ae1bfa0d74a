import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { markRecorded } from '../src/numbers/recorder.ts';
import { startAlone } from './support/fixture.ts';

const { instance } = await startAlone();

it('a plan that was made while nothing was issued finds each mark by its key', async () => {
  const plan = await instance.context.db.transaction(async (tx) => {
    await sql`set local plan_cache_mode = force_generic_plan`.execute(tx);
    await sql.raw(`prepare marks as ${markRecorded.text}`).execute(tx);
    const { rows } = await sql<Record<string, string>>`explain execute marks('{}', '{}', now())`.execute(tx);
    await sql`deallocate marks`.execute(tx);
    return rows.flatMap((row) => Object.values(row));
  });
  const scans = plan.flatMap((line) => /\w[\w ]+ Scan( using \w+)? on issued/.exec(line)?.[0] ?? []);
  expect(scans).toEqual(['Index Scan using issued_pkey on issued', 'Index Scan using issued_pkey on issued']);
});
