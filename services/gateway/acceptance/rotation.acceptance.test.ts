import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseOwners, type ServiceName } from '@cardinal/contracts';
import { declareRegisters, repository, runStatements } from '@cardinal/servers';
import { eventually, rounds, startWorld, type World } from '@cardinal/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { doctor } from './doctor.ts';
import { bringIn, startLoad, takeOut } from './rolling/load.ts';

const newPassword = () => randomBytes(24).toString('base64url');
/** The current name of a service and its next one; a service alternates between two. */
type Names = { former: string; next: string };

/** Runs the statements of `deploy/rotation.md` under a heading for each service; the page speaks of the card service. */
const runPage = async (world: World, heading: string, { role, password = '' }: { role: string; password?: string }) => {
  const page = readFileSync(join(repository, 'deploy/rotation.md'), 'utf8');
  const block = page.split(`\n${heading}\n`)[1]?.match(/```sql\n(.*?)```/s)?.[1] ?? '';
  const statements = block.split(/;\n/).filter(Boolean);
  expect(statements.length).toBeGreaterThan(0);
  const answers = databaseOwners.map((owner) =>
    runStatements(
      world.adminUrl,
      statements.map((statement) =>
        statement
          .replaceAll('cardinal_card_b', `cardinal_${owner}_b`)
          .replaceAll(/cardinal_card\b/g, `cardinal_${owner}${role}`)
          .replace('search_path = card', `search_path = ${owner}`)
          .replace('NEW', password),
      ),
    ),
  );
  return (await Promise.all(answers)).flat();
};

const at = (url: string, user: string, password: string) =>
  Object.assign(new URL(url), { username: user, password }).href;

/** Has the broker read its configuration again after a change of its users' lines. */
const changeUsers = async (world: World, change: (line: string) => string[]) => {
  const [file, log] = [join(world.natsFolder, 'nats.conf'), world.logOf('nats')];
  const reloads = () => readFileSync(log, 'utf8').split('Reloaded server configuration').length;
  const before = reloads();
  const lines = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, lines.flatMap((line) => (line.includes('{ user: ') ? change(line) : [line])).join('\n'));
  process.kill(Number(readFileSync(join(world.natsFolder, 'nats.pid'), 'utf8')), 'SIGHUP');
  await eventually(() => expect(reloads()).toBeGreaterThan(before));
};

test('every password is replaced under load, and no request fails', async () => {
  const env = { gateway: { RATE_LIMIT_MAX: '1000000', REQUEST_TIMEOUT_MS: '20000' } };
  const world = await startWorld({ apart: true, env, ownPostgres: true });
  onTestFinished(() => world.stop());
  const load = await startLoad(world);
  await load.more(20);
  let [databases, natsUrls] = [world.databaseUrls as Record<string, string>, world.natsUrls];

  const turns: Names[] = [
    { former: '', next: '_b' },
    { former: '_b', next: '' },
  ];
  for (const { former, next } of turns.slice(0, rounds(2, 1))) {
    const password = newPassword();
    const heading = next ? 'Once, a second login:' : 'The next time, the first one again:';
    await runPage(world, heading, { role: '', password });
    const user = /\{ user: (\w+?)(_b)?, password: "[^"]*"/;
    await changeUsers(world, (line) => [line, line.replace(user, `{ user: $1${next}, password: "${password}"`)]);
    await load.more(20);

    const [formerDatabases, formerNats] = [databases, natsUrls];
    databases = Object.fromEntries(
      databaseOwners.map((owner) => [owner, at(databases[owner] ?? '', `cardinal_${owner}${next}`, password)]),
    );
    natsUrls = Object.fromEntries(
      Object.entries(natsUrls).map(([name, url]) => [name, at(url, `${name}${next}`, password)]),
    );
    const loginOf = (service: ServiceName) => ({
      env: { NATS_URL: natsUrls[service] ?? '', ...(databases[service] ? { DATABASE_URL: databases[service] } : {}) },
    });
    await bringIn(world, load, next ? 1 : 0, loginOf);
    await takeOut(world, load, next ? 0 : 1);

    const left = await runPage(world, 'When nobody uses it any more:', { role: former });
    expect(left).toEqual(databaseOwners.map(() => ({ count: 0 })));
    await changeUsers(world, (line) => ((user.exec(line)?.[2] ?? '') === former ? [] : [line]));
    await load.more(40);
    expect(load.failures).toEqual([]);

    // Everything belongs to the one role, whichever login made it.
    const owner = "select tableowner from pg_tables where tablename = 'made'";
    const made = await runStatements(databases.card ?? '', ['create table made ()', owner]);
    await runStatements(databases.card ?? '', ['drop table made']);
    expect(made).toEqual([{ tableowner: 'cardinal_card' }]);
    await expect(runStatements(formerDatabases.card ?? '', ['select 1'])).rejects.toHaveProperty('cause.code', '28P01');
    await expect(declareRegisters({ url: formerNats.deploy ?? '' })).rejects.toThrow(/authorization/i);
    await expect(declareRegisters({ url: natsUrls.deploy ?? '' })).resolves.toBeDefined();
  }
  await load.stop();
  expect(load.failures).toEqual([]);

  await eventually(() => doctor(world.adminUrl), { everyMs: 2_000 });
});
