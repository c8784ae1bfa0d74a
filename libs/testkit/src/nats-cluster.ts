import { join } from 'node:path';
import { type BusUser, freePort, type Nats, startNats } from '@cardinal/servers';
import { atEndOfFile } from './run/end-of-file.ts';
import { scratchFolder } from './run/worker.ts';

interface ClusterOptions {
  size?: number;
  /** One that may do everything, called `test`, where left out. */
  users?: BusUser[];
}

export type TestNatsCluster = Awaited<ReturnType<typeof testNatsCluster>>;
export type ClusterServer = TestNatsCluster['servers'][number];

/**
 * A cluster of nats-servers with JetStream, gone with the test file. Its routes ask each other every half second, as the
 * values of the NATS chart have it (deploy/kubernetes).
 */
export const testNatsCluster = async ({
  size = 3,
  users = [{ name: 'test', password: 'test' }],
}: ClusterOptions = {}) => {
  const dir = scratchFolder('nats-cluster');
  const routePorts: number[] = [];
  while (routePorts.length < size) {
    const port = await freePort();
    if (!routePorts.includes(port)) routePorts.push(port);
  }
  const routes = routePorts.map((port) => JSON.stringify(`nats://127.0.0.1:${port}`)).join(', ');
  const start = (at: number, port?: number): Promise<Nats> => {
    const listen = JSON.stringify(`127.0.0.1:${routePorts[at]}`);
    const asking = 'ping_interval: "500ms", ping_max: 2';
    const further = `cluster: { name: cardinal, listen: ${listen}, routes: [${routes}], ${asking} }\n`;
    return startNats({ dir: join(dir, `${at}`), users, name: `n${at}`, further, port });
  };
  const server = async (at: number) => {
    let process = await start(at);
    const { port, urls } = process;
    // SIGKILL also ends one that is frozen.
    atEndOfFile(() => process.stop('SIGKILL'));
    return {
      port,
      /** Its name as JetStream reports leaders. */
      name: `n${at}`,
      /** Of each user at this server. */
      urls,
      /** It keeps its connections and says nothing on them any more. */
      freeze: () => process.kill('SIGSTOP'),
      thaw: () => process.kill('SIGCONT'),
      kill: () => process.stop('SIGKILL'),
      restart: async () => {
        await process.stop('SIGKILL');
        process = await start(at, port);
      },
    };
  };
  const servers = await Promise.all(routePorts.map((_, at) => server(at)));
  const urlOf = (user: string) => servers.map(({ urls }) => urls[user]).join(',');
  return {
    servers,
    /** All of the servers, as a user. */
    urlOf,
    /** The same as the first of the users. */
    url: urlOf(users[0]?.name ?? ''),
  };
};
