import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { drainConnections } from '@cardinal/runtime';
import { describe, expect, it, onTestFinished } from 'vitest';

const listening = async (answer: RequestListener) => {
  const server = createServer(answer);
  // Nothing ends by itself within a test.
  server.keepAliveTimeout = 72_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => {
    agent.destroy();
    server.closeAllConnections();
  });
  const ask = async () => {
    const request = get({ port: (server.address() as AddressInfo).port, agent });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    for await (const _ of response);
    return { connection: response.headers.connection, isOld: request.reusedSocket };
  };
  return { server, ask };
};

const closed = async (server: Server) => {
  await drainConnections(server);
  await new Promise((resolve) => server.close(resolve));
};

describe('drainConnections', () => {
  it('answers who comes once more on a kept connection, and tells him that it ends', async () => {
    const { server, ask } = await listening((_, response) => response.end());
    expect(await ask()).toEqual({ connection: 'keep-alive', isOld: false });
    const ended = closed(server);
    expect(await ask()).toEqual({ connection: 'close', isOld: true });
    await ended;
  });

  it('leaves no connection whose request was under way', async () => {
    let answer = () => {};
    const { server, ask } = await listening((_, response) => {
      answer = () => void response.end();
    });
    const asked = ask();
    await once(server, 'request');
    const ended = closed(server);
    answer();
    expect(await asked).toEqual({ connection: 'keep-alive', isOld: false });
    await ended;
  });

  it('does not keep a server up that nobody is connected to', async () => {
    const { server } = await listening((_, response) => response.end());
    const started = performance.now();
    await closed(server);
    expect(performance.now() - started).toBeLessThan(900);
  });
});
