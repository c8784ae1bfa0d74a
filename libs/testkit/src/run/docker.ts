import { request } from 'node:http';
import { dockerSocket } from '../environment.ts';

/** True where a Docker engine answers. */
export const engineAnswers = () =>
  new Promise<boolean>((resolve) => {
    const socketPath = dockerSocket();
    if (!socketPath) return resolve(false);
    const ping = request({ socketPath, path: '/_ping', timeout: 1_000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    ping.once('timeout', () => ping.destroy());
    ping.once('error', () => resolve(false));
    ping.end();
  });

/** A Postgres in a container; undefined where no Docker engine answers or it cannot get the image. */
export const startContainer = async (): Promise<{ url: string; stop(): Promise<void> } | undefined> => {
  if (!(await engineAnswers())) return undefined;
  const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
  try {
    const container = await new PostgreSqlContainer('postgres:18-alpine')
      .withDatabase('postgres')
      .withCommand(['postgres', '-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'max_connections=300'])
      .start();
    return { url: container.getConnectionUri(), stop: async () => void (await container.stop()) };
  } catch {
    return undefined;
  }
};
