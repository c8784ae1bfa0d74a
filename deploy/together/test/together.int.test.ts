import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { databaseOwners } from '@cardinal/contracts';
import { inheritedEnvironment, readLog, repository, runStatements } from '@cardinal/servers';
import { eventually, scrape, startWorld, type World } from '@cardinal/testkit';
import { afterAll, expect, it } from 'vitest';

const world: World = await startWorld({ ownPostgres: true });
afterAll(() => world.stop());

const { origin } = new URL(world.baseUrl);
const log = () => readLog(world.logOf('all'), 0);
const lines = () =>
  log()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

it('each service is measured under its name, each metric once', async () => {
  const response = await fetch(world.metricsUrl('all'));
  const described = (await response.text()).split('\n').filter((line) => line.startsWith('# TYPE '));
  expect(new Set(described).size).toBe(described.length);
  const { value } = await scrape(world.metricsUrl('all'));
  for (const service of databaseOwners) {
    expect(value('cardinal_database_connections', { service, state: 'max' })).toBe(10);
  }
  expect(value('process_resident_memory_bytes')).toBeGreaterThan(0);
});

it('a service that cannot start says so by name, is tried again, and takes no other down', async () => {
  const token = await world.token();
  const headers = () => ({
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
  });
  const boards = () =>
    fetch(`${world.baseUrl}/boards`, { method: 'POST', headers: headers(), body: '{"name":"Still here"}' });
  const { username: role } = new URL(world.databaseUrls.dependency);
  await runStatements(world.adminUrl, [`alter role "${role}" nologin`]);
  // Or the former process would answer on.
  await world.kill('all', 'SIGTERM');
  const back = world.restart('all');
  await eventually(async () => expect((await boards()).status).toBe(201));
  const { port } = lines().findLast(({ msg }) => msg === 'serving health and metrics');
  await eventually(async () => {
    const probe = await fetch(`http://127.0.0.1:${port}/readyz`);
    expect([probe.status, await probe.json()]).toEqual([503, { failed: ['dependency'] }]);
  });
  expect((await fetch(`${origin}/readyz`)).status).toBe(503);
  await eventually(() =>
    expect(lines()).toContainEqual(expect.objectContaining({ service: 'dependency', level: 'error' })),
  );
  await runStatements(world.adminUrl, [`alter role "${role}" login`]);
  await back;
  expect((await fetch(`${origin}/readyz`)).status).toBe(200);
});

it('stops in order, within its time, and says so', async () => {
  await world.kill('all', 'SIGTERM');
  expect(await world.exited('all')).toEqual({ code: 0, signal: null });
  expect(lines().at(-1)).toMatchObject({ service: 'all', msg: 'stopped' });
  expect(lines().filter(({ level }) => level === 'fatal')).toEqual([]);
});

/** Runs the program with an input to its end. */
const runProgram = async (env: Record<string, string>, input: string) => {
  const program = join(repository, 'deploy/together/src/main.ts');
  const child = spawn(process.execPath, [program], { env: { ...inheritedEnvironment(), ...env } });
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { stdout, stderr, code };
};

const wrong = { CARD_DATABASE_URL: 'mysql://x/y', DATABASE_URL: 'postgres://a@b/c' };
it.each([
  ['in its environment', wrong, ''],
  ['at its standard input', { VARIABLES_FROM: 'stdin' }, JSON.stringify(wrong)],
])('wrong variables %s are refused as a whole, each under the name of its service', async (_, env, input) => {
  const { stderr, code } = await runProgram(env, input);
  expect(code).toBe(1);
  for (const variable of ['CARD_DATABASE_URL', 'EVENT_DATABASE_URL', 'EVENT_WEBHOOK_KEY', 'GATEWAY_TOKEN_ISSUER']) {
    expect(stderr).toContain(variable);
  }
});

it('ends without a word where the process that was to write its variables ends first', async () => {
  expect(await runProgram({ VARIABLES_FROM: 'stdin' }, '')).toEqual({ stdout: '', stderr: '', code: 0 });
});
