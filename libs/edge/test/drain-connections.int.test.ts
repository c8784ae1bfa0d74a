import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { connectionDrain } from '@cardinal/edge';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

const listening = async (answer: RequestListener) => {
  const server = createServer(answer);
  const drain = connectionDrain(server);
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
  const close = async () => {
    await drain();
    await new Promise((resolve) => server.close(resolve));
  };
  return { server, ask, drain, close };
};

describe('connectionDrain', () => {
  it('answers who comes once more on a kept connection, and tells him that it ends', async () => {
    const { ask, close } = await listening((_, response) => response.end());
    expect(await ask()).toEqual({ connection: 'keep-alive', isOld: false });
    const ended = close();
    expect(await ask()).toEqual({ connection: 'close', isOld: true });
    await ended;
  });

  it('leaves no connection whose request was under way', async () => {
    let answer = () => {};
    const { server, ask, close } = await listening((_, response) => {
      answer = () => void response.end();
    });
    const asked = ask();
    await once(server, 'request');
    const ended = close();
    answer();
    expect(await asked).toEqual({ connection: 'keep-alive', isOld: false });
    await ended;
  });

  it.each([
    ['nothing', ''],
    ['half a request', 'GET / HTTP/1.1\r\nHost: a\r\n'],
    ['another half', 'GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\n'],
  ])('ends a connection on which a client sent %s', async (_, sent) => {
    const { server, close } = await listening((_, response) => response.end());
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const ended = once(socket.resume(), 'close');
    await once(server, 'connection');
    socket.write(sent);
    await close();
    await ended;
  });

  it('closes a connection under a request that does not end, after ten seconds', async () => {
    const { server, ask, drain } = await listening(() => {});
    const asked = expect(ask()).rejects.toThrow('socket hang up');
    await once(server, 'request');
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    await drain();
    vi.advanceTimersByTime(10_000);
    await asked;
  });

  it('does not keep a server up that nobody is connected to', async () => {
    const { close } = await listening((_, response) => response.end());
    const started = performance.now();
    await close();
    expect(performance.now() - started).toBeLessThan(900);
  });
});
