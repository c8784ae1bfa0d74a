import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { busUserNames, connectBus, declareRegisters } from '@cardinal/bus';
import { databaseOwners } from '@cardinal/contracts';
import { createLogger } from '@cardinal/runtime';
import {
  type Child,
  freePort,
  natsBinary,
  type Postgres,
  runStatements,
  startChild,
  startPostgres,
} from '@cardinal/servers';
import { eventually, scratchFolder, testDatabase } from '@cardinal/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { kubernetesFolder } from './helm.ts';

const running: (Child | Postgres)[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop('SIGQUIT');
});

/** The URL of each user with the password that the test's servers know. */
const urlOf = (user: string, port: number) => `nats://${user}:of-${user}@127.0.0.1:${port}`;

const configured = readFileSync(join(kubernetesFolder, 'chart/files/nats.conf'), 'utf8');

/** Starts a server with the configuration of the cluster's, but for where it listens and keeps its store. */
const startBroker = async (): Promise<number> => {
  const [port, monitor, folder] = [await freePort(), await freePort(), scratchFolder('nats')];
  const config = configured
    .replace('0.0.0.0:4222', `127.0.0.1:${port}`)
    .replace('0.0.0.0:8222', `127.0.0.1:${monitor}`)
    .replace('"/data"', `"${folder}"`);
  const file = join(folder, 'nats.conf');
  writeFileSync(file, config);
  const env = Object.fromEntries(busUserNames.map((user) => [`${user.toUpperCase()}_NATS_PASSWORD`, `of-${user}`]));
  const logFile = join(folder, 'nats.log');
  running.push(await startChild({ command: await natsBinary(), args: ['-c', file], env, logFile }));
  return port;
};

describe('the broker', () => {
  it('lets each user in, and only the deploy step make registers', async () => {
    // A connection would wait for a user that is not rendered yet.
    expect(Array.from(configured.matchAll(/\buser: (\w+)/g), ([, user]) => user).sort()).toEqual(
      [...busUserNames].sort(),
    );
    const port = await startBroker();
    await eventually(() => declareRegisters({ url: urlOf('deploy', port) }));
    const logger = createLogger({ service: 'test', level: 'silent' });
    for (const name of busUserNames) {
      const bus = await connectBus({ url: urlOf(name, port), name, logger });
      await bus.ping();
      await bus.drain();
    }
    await expect(declareRegisters({ url: urlOf('card', port) })).rejects.toThrow();
  });
});

describe('the values of the NATS chart', () => {
  const values = parse(readFileSync(join(kubernetesFolder, 'servers/nats-values.example.yaml'), 'utf8'));

  it('have the servers notice a frozen one, demand TLS, and keep two of three', () => {
    const { cluster, nats } = values.config;
    expect(cluster.merge).toEqual({ ping_interval: '500ms', ping_max: 2 });
    expect([cluster.tls.enabled, nats.tls.enabled, values.tlsCA.enabled]).toEqual([true, true, true]);
    expect(values.podDisruptionBudget).toEqual({ enabled: true, merge: { spec: { maxUnavailable: 1 } } });
    expect(values.container.merge.resources).toMatchObject({ requests: { cpu: '500m' }, limits: { memory: '1Gi' } });
  });

  it('are what nats-server takes', async () => {
    const folder = scratchFolder('nats');
    const file = join(folder, 'nats.conf');
    // The chart writes `<< text >>` as it stands, without quotes.
    const text = (part: object) =>
      JSON.stringify(part)
        .replaceAll(/"<< (.*?) >>"/g, '$1')
        .slice(1, -1);
    const { cluster, merge } = values.config;
    writeFileSync(file, `${text(merge)}\ncluster: { name: nats, listen: "127.0.0.1:0", ${text(cluster.merge)} }\n`);
    const logFile = join(folder, 'log');
    const tested = await startChild({ command: await natsBinary(), args: ['-t', '-c', file], logFile });
    expect({ ...(await tested.exited), said: tested.output() }).toMatchObject({
      code: 0,
      said: expect.stringContaining('valid'),
    });
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
    await runStatements(server.url, [readFileSync(join(kubernetesFolder, 'chart/files/roles.sql'), 'utf8')]);
    const made = await whatIsThere(server.url);
    expect(made.roles).toHaveLength(databaseOwners.length);
    expect(made).toEqual(await whatIsThere((await testDatabase()).adminUrl));
  });
});
