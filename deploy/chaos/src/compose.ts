import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forEachOwner, serviceNames } from '@cardinal/contracts';
import { hostEnvironment } from '@cardinal/docker/test/stack/config.ts';
import { engineProblem } from '@cardinal/docker/test/stack/docker.ts';
import { buildImages, imagesOf } from '@cardinal/docker/test/stack/images.ts';
import { describeStack } from '@cardinal/docker/test/stack/stack.ts';
import { ensureKeys, freePort, repository, unready as unreadyOf } from '@cardinal/servers';
import { containerFaults, impossible } from './container-faults.ts';
import { containersOf, watchCrashes } from './containers.ts';
import type { System } from './system.ts';

const scope = 'kanban:read kanban:write kanban:admin';
const twelveHours = 12 * 3_600;
const upMs = 120_000;

/**
 * How often health is looked after: not so seldom that we wait long for the next look, and not so often that the looks are
 * the load, since each starts a process in one of a dozen containers.
 */
const probing = { healthcheck: { interval: '5s', start_interval: '3s', timeout: '20s' } };

/** What is otherwise than in the compose file: the load comes from one address, and we look into the databases. */
const override = (databasePort: number) => ({
  services: {
    ...Object.fromEntries([...serviceNames, 'nats', 'proxy'].map((service) => [service, probing])),
    gateway: { ...probing, environment: { CHECK_REPLIES: 'true', RATE_LIMIT_MAX: '1000000000' } },
    postgres: { ...probing, networks: ['public'], ports: [`127.0.0.1:${databasePort}:5432`] },
  },
});

/**
 * Ends a project when its input closes, which it also does when we are killed. Nothing of it is left, but what images were
 * built of stays in the engine's cache.
 * @returns ends it now
 */
const startGuard = (project: string, folder: string) => {
  const script = `cat > /dev/null
    docker compose --project-name "$0" down --volumes --remove-orphans --timeout 2
    rm -rf "$1"
    shift
    docker image rm "$@"`;
  const guard = spawn('sh', ['-c', script, project, folder, ...imagesOf(project)], {
    // Beside a compose file, Compose would read that.
    cwd: '/',
    env: hostEnvironment(),
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  const ended = once(guard, 'exit');
  return async () => {
    guard.stdin.end();
    await ended;
  };
};

export interface ContainersOptions {
  /** Of every service. */
  instances: number;
  /** The folder for logs; it is emptied first. */
  logs: string;
}

/**
 * Starts the whole of Cardinal in containers, as `docker compose up` does, from images of this checkout. It has a project,
 * ports and volumes of its own, and ends with us, also when we are killed.
 * @throws Error where no engine answers, or where it does not get ready
 */
export const startContainers = async ({ instances, logs }: ContainersOptions): Promise<System> => {
  const problem = await engineProblem();
  if (problem) throw new Error(`NOTHING WAS TRIED, as no Docker engine with Compose answers (${problem})`);
  rmSync(logs, { recursive: true, force: true });
  mkdirSync(logs, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), 'cardinal-chaos-'));
  const project = `cardinal-chaos-${process.pid}`;
  const takeDown = startGuard(project, folder);
  try {
    return await startIn(folder, project, { instances, logs }, takeDown);
  } catch (error) {
    await takeDown();
    throw error;
  }
};

const startIn = async (
  folder: string,
  project: string,
  { instances, logs }: ContainersOptions,
  takeDown: () => Promise<void>,
): Promise<System> => {
  const databasePort = await freePort();
  const stack = await describeStack(project, folder, repository, override(databasePort));
  await buildImages(repository, project, stack.secrets);
  await stack.up(project, ...serviceNames.flatMap((service) => ['--scale', `${service}=${instances}`]));
  const all = await containersOf(project, [...serviceNames, 'postgres', 'nats', 'proxy']);
  const crashes = watchCrashes(project, all);

  const [, password] = /^POSTGRES_PASSWORD=(.*)$/m.exec(readFileSync(stack.secrets, 'utf8')) ?? [];
  const adminUrl = `postgres://postgres:${password}@127.0.0.1:${databasePort}/cardinal`;
  const keys = await ensureKeys(stack.keys);

  /** Ready means healthy in a check that the engine made after this call. */
  const unready: System['unready'] = async (timeoutMs) => {
    const before = await Promise.all(all.map((one) => one.lookedAt()));
    const looked = all.map((one, at) => ({
      name: one.name,
      lacks: async () =>
        (await one.lacks()) ?? ((await one.lookedAt()) === before[at] ? 'was not looked after' : undefined),
    }));
    return unreadyOf(looked, { timeoutMs, everyMs: 1_000 });
  };
  const lacking = await unready(upMs);
  if (lacking.length > 0) throw new Error(`the system does not become ready: ${lacking.join('; ')}`);

  return {
    // The only one that is reached from outside.
    gateways: [{ name: 'proxy', baseUrl: `${stack.origin}/api/kanban/v1`, isProxy: true }],
    token: (workspace, user) => keys.sign({ workspace, user, scope, expiresIn: twelveHours }),
    reachesUs: false,
    faults: containerFaults({
      project,
      containers: all,
      adminUrl,
      declare: () => stack.compose(project, ['run', '--rm', '-T', 'streams']),
    }),
    impossible,
    databases: forEachOwner(() => adminUrl),
    unready,
    crashes: () => crashes.violations,
    instances: all.filter(({ service }) => (serviceNames as readonly string[]).includes(service)),
    stop: async () => {
      crashes.end();
      for (const service of new Set(all.map((one) => one.service))) {
        writeFileSync(join(logs, `${service}.log`), await stack.compose(project, ['logs', '--no-color', service]));
      }
      await takeDown();
    },
  };
};
