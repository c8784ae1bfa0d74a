import { type Nats, startNats } from '@cardinal/servers';
import { scratchFolder } from './run/worker.ts';

export interface TestNats {
  /** A user that may do everything; stays the same over restarts. */
  url: string;
  /** Ends the server at once, as a crash would. */
  kill(): Promise<void>;
  /** Starts it again after `kill` or `stop`: same port, same store. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** A nats-server of one's own with JetStream, gone with the run at the latest. */
export const testNats = async (): Promise<TestNats> => {
  const dir = scratchFolder('nats');
  const users = [{ name: 'test', password: 'test' }];
  let server: Nats = await startNats({ dir, users });
  const { url, port } = server;
  return {
    url,
    kill: () => server.stop('SIGKILL'),
    restart: async () => {
      await server.stop();
      server = await startNats({ dir, users, port });
    },
    stop: () => server.stop(),
  };
};
