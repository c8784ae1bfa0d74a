import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { busUserNames, connectBus, declareStreams } from '@cardinal/bus';
import {
  type Child,
  freePort,
  natsBinary,
  type Postgres,
  runStatements,
  startChild,
  startPostgres,
} from '@cardinal/local';
import { createLogger } from '@cardinal/runtime';
import { eventually, scratchFolder, testDatabase } from '@cardinal/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { accountsConfig, accountsValues } from './accounts.ts';
import { kubernetesFolder } from './kubectl.ts';

const running: (Child | Postgres)[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop('SIGQUIT');
});

describe('the broker', () => {
  it('has the users and permissions that follow from the contracts', async () => {
    await expect(accountsConfig()).toMatchFileSnapshot('../servers/accounts.conf');
    await expect(accountsValues()).toMatchFileSnapshot('../overlays/production/nats-accounts.yaml');
  });

  it('starts with its configuration, and lets each user do what is its own', async () => {
    const port = await freePort();
    const passwords = Object.fromEntries(busUserNames.map((user) => [`${user.toUpperCase()}_PASSWORD`, `of-${user}`]));
    const folder = scratchFolder('nats');
    // Its store is a folder of the run; whatever else it says, it is what the cluster gets.
    const config = readFileSync(join(kubernetesFolder, 'servers/nats.conf'), 'utf8').replace('"/data"', `"${folder}"`);
    writeFileSync(join(folder, 'nats.conf'), config);
    copyFileSync(join(kubernetesFolder, 'servers/accounts.conf'), join(folder, 'accounts.conf'));
    const args = [
      '-c',
      join(folder, 'nats.conf'),
      '-a',
      '127.0.0.1',
      '-p',
      String(port),
      '-m',
      String(await freePort()),
    ];
    const logFile = join(folder, 'nats.log');
    running.push(await startChild({ command: await natsBinary(), args, env: passwords, logFile }));
    const urlOf = (user: string) => `nats://${user}:of-${user}@127.0.0.1:${port}`;
    await eventually(() => declareStreams({ url: urlOf('deploy') }));
    const logger = createLogger({ service: 'test', level: 'silent' });
    for (const name of busUserNames) {
      const bus = await connectBus({ url: urlOf(name), name, logger });
      await bus.ping();
      await bus.drain();
    }
    await expect(declareStreams({ url: urlOf('card') })).rejects.toThrow();
  });
});

/** What a database says of roles, their limits and schemas; without passwords. */
const whatIsThere = async (url: string) => ({
  roles: await runStatements(url, [
    `select rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication, rolbypassrls,
       rolconnlimit, (select array_agg(setting order by setting) from unnest(rolconfig) as setting) as settings
     from pg_roles where rolname like 'cardinal\\_%' order by rolname`,
  ]),
  schemas: await runStatements(url, [
    `select nspname, pg_get_userbyid(nspowner) as owner, nspacl::text from pg_namespace
     where nspname !~ '^(pg_|information_schema)' and nspname <> 'public' order by nspname`,
  ]),
  mayCreate: await runStatements(url, ["select has_schema_privilege('cardinal_card', 'public', 'create') as public"]),
  extensions: await runStatements(url, ['select extname from pg_extension order by extname']),
});

describe('Postgres', () => {
  it('gets the roles and schemas that `npm start` makes', async () => {
    const server = await startPostgres({
      dir: scratchFolder('pg'),
      settings: { fsync: 'off', shared_buffers: '16MB' },
    });
    running.push(server);
    await runStatements(server.url, [readFileSync(join(kubernetesFolder, 'servers/roles.sql'), 'utf8')]);
    const made = await whatIsThere(server.url);
    expect(made.roles).toHaveLength(4);
    expect(made).toEqual(await whatIsThere((await testDatabase()).adminUrl));
  });
});
