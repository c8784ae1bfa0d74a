import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { hostEnvironment } from './config.ts';

/**
 * Writes what every container of a project says into files of a folder, one a container, also of those that are removed
 * meanwhile: jobs, and instances that an upgrade replaces.
 * @returns ends that, when what containers said last is written
 */
export const keepLogs = (project: string, folder: string): (() => Promise<void>) => {
  mkdirSync(folder, { recursive: true });
  const env = hostEnvironment();
  const open = new Set<Promise<void>>();
  const follow = (id: string, name: string) => {
    // From its beginning, as a container that starts again goes on with the log that it has; one that takes its place has
    // another id.
    const file = createWriteStream(join(folder, `${name}.${id.slice(0, 12)}.log`));
    const child = spawn('docker', ['logs', '--follow', '--timestamps', id], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) stream.pipe(file, { end: false });
    const closed = new Promise<void>((resolve) => {
      child.once('error', () => resolve());
      child.once('close', () => file.end(resolve));
    });
    open.add(closed);
    void closed.then(() => open.delete(closed));
  };
  const ofProject = ['--filter', `label=com.docker.compose.project=${project}`];
  const format = ['--format', '{{.ID}} {{.Actor.Attributes.name}}'];
  const events = spawn('docker', ['events', '--filter', 'event=start', ...ofProject, ...format], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  events.on('error', () => {});
  createInterface({ input: events.stdout }).on('line', (line) => {
    const [id = '', name = ''] = line.split(' ');
    follow(id, name);
  });
  return async () => {
    events.kill();
    // The containers are gone, and each of these ends with its own.
    await Promise.all(open);
  };
};
