import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, repository } from '@cardinal/local';
import { docker, run } from './docker.ts';

/** A stack of containers under a name, with ports, volumes and secrets of its own. */
export interface ComposeStack {
  /** `http://127.0.0.1:port` of the gateway. */
  origin: string;
  /** Holds the key that signs its tokens, once `up` has brought it. */
  keys: string;
  /** Options that make `docker compose` speak of this stack and of images of a tag. */
  options: (tag: string) => { args: string[]; env: Record<string, string> };
  compose(tag: string, args: string[], input?: Buffer): Promise<Buffer>;
  /** Brings it up and waits until all of it is healthy; returns how long that took, s. */
  up(tag: string, ...services: string[]): Promise<number>;
  down(): Promise<void>;
}

/** What tests ask more of a stack than the compose file does: replies between services are held to their contracts. */
const override = { services: { gateway: { environment: { CHECK_REPLIES: 'true' } } } };

/** Secrets as the script makes them that a newcomer runs, in a folder of their own. */
const makeEnvironment = async (folder: string, ports: Record<string, string>) => {
  mkdirSync(join(folder, 'deploy/docker'), { recursive: true });
  cpSync(join(repository, 'deploy/docker/env.sh'), join(folder, 'deploy/docker/env.sh'));
  const lines = Object.entries(ports).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(join(folder, '.env'), lines.join(''));
  await run('sh', ['deploy/docker/env.sh'], { cwd: folder });
};

/**
 * A stack that does not run yet.
 * @param folder where its secrets are
 */
export const describeStack = async (name: string, folder: string): Promise<ComposeStack> => {
  const ports = { CARDINAL_PORT: String(await freePort()), CARDINAL_FILES_PORT: String(await freePort()) };
  await makeEnvironment(folder, ports);
  const more = join(folder, 'override.json');
  writeFileSync(more, JSON.stringify(override));
  const files = ['--file', join(repository, 'docker-compose.yml'), '--file', more];
  const args = ['--project-name', name, '--env-file', join(folder, '.env'), ...files];
  const options = (tag: string) => ({ args, env: { CARDINAL_VERSION: tag } });
  const compose = (tag: string, words: string[], input?: Buffer) =>
    run('docker', ['compose', ...args, ...words], { env: options(tag).env, ...(input ? { input } : {}) });
  const keys = join(folder, 'keys');
  return {
    origin: `http://127.0.0.1:${ports.CARDINAL_PORT}`,
    keys,
    options,
    compose,
    up: async (tag, ...services) => {
      const begun = performance.now();
      await compose(tag, ['up', '--detach', '--wait', '--no-build', ...services]);
      const seconds = (performance.now() - begun) / 1000;
      await docker('cp', `${name}-keys-1:/var/lib/cardinal/keys`, folder);
      return seconds;
    },
    down: async () => {
      await compose('none', ['--profile', '*', 'down', '--volumes', '--remove-orphans', '--timeout', '2']);
    },
  };
};
