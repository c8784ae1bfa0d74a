import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { hostEnvironment } from '@cardinal/docker/test/stack/config.ts';
import { docker } from '@cardinal/docker/test/stack/docker.ts';
import type { Violation } from './history.ts';
import type { Target } from './system.ts';

/** Longer than any `stop_grace_period` of the compose file but Postgres's, seconds. */
const graceSeconds = 30;

/** A container of a stack. */
export interface Container extends Target {
  id: string;
  service: string;
  /** When the engine last looked after its health, as the engine writes it. */
  lookedAt(): Promise<string | undefined>;
}

interface State {
  Status: string;
  Health?: { Status: string; Log?: { Start: string; Output: string }[] };
}

const containerOf = (id: string, service: string, number: string): Container => {
  const state = async () => JSON.parse(await docker('inspect', '--format', '{{json .State}}', id)) as State;
  return {
    id,
    service,
    name: `${service}-${number}`,
    start: async () => void (await docker('start', id)),
    signal: async (signal) => void (await docker(signal === 'SIGSTOP' ? 'pause' : 'unpause', id)),
    end: (signal = 'SIGTERM') => {
      const stop = () => docker('stop', '--time', String(graceSeconds), id);
      // It may have ended by itself this moment, and be about to be started again.
      return signal === 'SIGKILL' ? docker('kill', id).catch(stop) : stop();
    },
    lacks: async () => {
      const { Status, Health } = await state();
      if (Status !== 'running') return `is ${Status}`;
      return Health?.Status === 'healthy' ? undefined : `is ${Health?.Status}: ${Health?.Log?.at(-1)?.Output ?? ''}`;
    },
    lookedAt: async () => (await state()).Health?.Log?.at(-1)?.Start,
  };
};

const labels = 'com.docker.compose';

/** The containers of a project that belong to these services. */
export const containersOf = async (project: string, services: readonly string[]): Promise<Container[]> => {
  const format = `{{.ID}} {{.Label "${labels}.service"}} {{.Label "${labels}.container-number"}}`;
  const lines = (await docker('ps', '--filter', `label=${labels}.project=${project}`, '--format', format)).split('\n');
  const all = lines.map((line) => line.split(' ') as [string, string, string]);
  // The seed picks from them by their place.
  return services.flatMap((service) =>
    all
      .filter(([, of]) => of === service)
      .sort(([, , one], [, , other]) => Number(one) - Number(other))
      .map((one) => containerOf(...one)),
  );
};

/**
 * Watches for containers of a project that end without a request to the engine.
 * @returns what was seen so far, and how to end it
 */
export const watchCrashes = (project: string, containers: readonly Container[]) => {
  const violations: Violation[] = [];
  const asked = new Set<string>();
  const filters = ['kill', 'start', 'die'].flatMap((event) => ['--filter', `event=${event}`]);
  const of = ['--filter', `label=${labels}.project=${project}`];
  const format = '{{.Action}} {{.Actor.ID}} {{index .Actor.Attributes "exitCode"}}';
  const events = spawn('docker', ['events', ...of, ...filters, '--format', format], {
    env: hostEnvironment(),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  createInterface(events.stdout).on('line', (line) => {
    const [action, id = '', code] = line.split(' ');
    const name = containers.find((one) => id.startsWith(one.id))?.name;
    if (name === undefined) return;
    if (action === 'kill') asked.add(id);
    if (action === 'start') asked.delete(id);
    if (action !== 'die' || asked.has(id)) return;
    violations.push({ message: `${name} ended with ${code}`, exchanges: [] });
  });
  return { violations, end: () => void events.kill() };
};
