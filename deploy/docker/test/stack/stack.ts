import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceNames } from '@cardinal/contracts';
import { freePort, repository } from '@cardinal/servers';
import { docker, run } from './docker.ts';

/** A stack of containers under a name, with ports, volumes and secrets of its own. */
export interface ComposeStack {
  name: string;
  /** `http://127.0.0.1:port` of the API. */
  origin: string;
  /** Holds the key that signs its tokens, once `up` has brought it. */
  keys: string;
  /** The file with its secrets. */
  secrets: string;
  /** Puts the files of a checkout in the place of those that it runs with, as `git pull` does, and makes missing secrets. */
  lay(checkout: string): Promise<void>;
  compose(tag: string, args: string[], input?: Buffer): Promise<Buffer>;
  /** Runs a script of deploy/docker, with images of a tag. */
  script(tag: string, name: string, ...words: string[]): Promise<void>;
  /** Runs `upgrade.sh`, towards images of a tag. */
  upgrade(tag: string, ...words: string[]): Promise<void>;
  /** Changes `COMPOSE_PROFILES`, and removes the former containers once the new ones are healthy. */
  change(tag: string, to: 'apart' | 'together'): Promise<void>;
  /** Brings it up and waits until all of it is healthy; returns how long that took, s. */
  up(tag: string): Promise<number>;
  down(): Promise<void>;
}

/**
 * What tests ask more of a stack than the compose file does: replies between services are held to their contracts. They may
 * be late, as building and starting containers can take all of a machine; none may be lost.
 */
const strict = { environment: { CHECK_REPLIES: 'true', REQUEST_TIMEOUT_MS: '20000' } };
/** Names of the gateway, alone and with all services in one process, in a compose file: 1.1.0 has only the first. */
const gatewaysOf = (file: string): string[] => ['gateway', 'all'].filter((name) => file.includes(`\n  ${name}:\n`));
/** What Compose reads of a checkout. */
const parts = ['docker-compose.yml', 'deploy/docker', 'deploy/observability'];

/**
 * A stack that does not run yet, with the files of a checkout.
 * @param folder where these and its secrets are
 */
export const describeStack = async (name: string, folder: string, from = repository): Promise<ComposeStack> => {
  const ports = { CARDINAL_PORT: await freePort(), CARDINAL_FILES_PORT: await freePort() };
  const secrets = join(folder, '.env');
  const lay = async (checkout: string) => {
    for (const part of parts) {
      // Over what is there, as git does: containers that run have these folders mounted, not whatever takes their place.
      const filter = (path: string) => !path.includes('node_modules');
      cpSync(join(checkout, part), join(folder, part), { recursive: true, filter });
    }
    const gateways = gatewaysOf(readFileSync(join(checkout, 'docker-compose.yml'), 'utf8'));
    const services = Object.fromEntries(gateways.map((name) => [name, strict]));
    writeFileSync(join(folder, 'override.json'), JSON.stringify({ services }));
    await run('sh', ['deploy/docker/env.sh'], { cwd: folder });
  };
  mkdirSync(folder, { recursive: true });
  const lines = Object.entries(ports).map(([key, value]) => `${key}=${value}\n`);
  writeFileSync(secrets, lines.join(''));
  await lay(from);
  const options = (tag: string) => ({
    cwd: folder,
    env: { COMPOSE_PROJECT_NAME: name, COMPOSE_FILE: 'docker-compose.yml:override.json', CARDINAL_VERSION: tag },
  });
  const compose = (tag: string, words: string[], input?: Buffer) =>
    run('docker', ['compose', ...words], { ...options(tag), ...(input ? { input } : {}) });
  const script = async (tag: string, file: string, ...words: string[]) => {
    await run('sh', [`deploy/docker/${file}`, ...words], options(tag));
  };
  return {
    name,
    origin: `http://127.0.0.1:${ports.CARDINAL_PORT}`,
    keys: join(folder, 'keys'),
    secrets,
    lay,
    compose,
    script,
    upgrade: (tag, ...words) => script(tag, 'upgrade.sh', ...words),
    change: async (tag, to) => {
      const chosen = readFileSync(secrets, 'utf8').replace(/^COMPOSE_PROFILES=.*$/m, `COMPOSE_PROFILES=${to}`);
      writeFileSync(secrets, chosen);
      await compose(tag, ['up', '--detach', '--wait', '--no-build']);
      const former = to === 'together' ? serviceNames : ['all'];
      await compose(tag, ['--profile', '*', 'rm', '--stop', '--force', ...former]);
    },
    up: async (tag) => {
      const begun = performance.now();
      await compose(tag, ['up', '--detach', '--wait', '--no-build']);
      const seconds = (performance.now() - begun) / 1000;
      await docker('cp', `${name}-keys-1:/var/lib/cardinal/keys`, folder);
      return seconds;
    },
    down: async () => {
      await compose('none', ['--profile', '*', 'down', '--volumes', '--remove-orphans', '--timeout', '2']);
    },
  };
};
