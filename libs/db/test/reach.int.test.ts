import { testDatabase } from '@cardinal/testkit';
import { afterEach, expect, it, vi } from 'vitest';
import { checkDatabase, databaseProblem } from '../src/index.ts';

afterEach(() => vi.unstubAllEnvs());

const refused = (code: string, message: string) => Object.assign(new Error(message), { code });
const url = 'postgres://card:secret@db:5433/cardinal';

it('accepts a database that can be used', async () => {
  const { adminUrl } = await testDatabase();
  await checkDatabase(adminUrl, { oldest: 16, mayCreate: true });
});

it('demands TLS where PGSSLMODE does and the URL says nothing of it', async () => {
  const { adminUrl } = await testDatabase();
  vi.stubEnv('PGSSLMODE', 'verify-full');
  await expect(checkDatabase(adminUrl, { oldest: 16 })).rejects.toThrow(/SSL/);
  await checkDatabase(`${adminUrl}?sslmode=disable`, { oldest: 16 });
});

it('refuses a Postgres that is too old', async () => {
  const { url } = await testDatabase();
  await expect(checkDatabase(url, { oldest: 99 })).rejects.toThrow(/^DATABASE_URL: .* is version \d+\.\d+; take 99 or/);
});

it.each([
  ['57P03', 'the database system is starting up', 'starting'],
  ['53300', 'sorry, too many clients already', 'starting'],
  ['ECONNREFUSED', 'connect ECONNREFUSED', 'away'],
  ['28P01', 'password authentication failed', 'wrong'],
  ['42501', 'permission denied to create role', 'wrong'],
  ['XX000', 'something else', 'wrong'],
])('maps %s to a server that is %s: %s', (code, message, kind) => {
  const problem = databaseProblem(refused(code, message), url);
  expect(problem.kind).toBe(kind);
  expect(problem.message).toMatch(/^DATABASE_URL: .+; .+/);
  expect(problem.message).not.toContain('secret');
});
