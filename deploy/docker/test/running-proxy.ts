import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { freePort, startChild } from '@cardinal/servers';
import { eventually, haproxyPaths, scratchFolder } from '@cardinal/testkit';
import { expect, onTestFinished } from 'vitest';
import { readText } from './compose-file.ts';
import { keptConnection } from './kept-connection.ts';

/** HAProxy on this machine; undefined where there is none. */
export const haproxy: string | undefined = haproxyPaths().find((path) => existsSync(path));

/** The proxy's file, with addresses of this machine in the place of those in containers. */
const localConfiguration = (folder: string, api: number, gateways: number[], others: number[]) => {
  const [files = 0, health = 0] = others;
  const servers = gateways.map((port, index) => `  server gateway${index + 1} 127.0.0.1:${port}`);
  // As many as there may be, for those who ask after each.
  while (servers.length < 4) servers.push(`  server gateway${servers.length + 1} 127.0.0.1:1 disabled`);
  const changes: [from: string, to: string][] = [
    ['bind :8080', `bind 127.0.0.1:${api}`],
    ['bind :8081', `bind 127.0.0.1:${files}`],
    ['bind 127.0.0.1:8404', `bind 127.0.0.1:${health}`],
    ['  server-template gateway 1-4 gateway:8080', servers.join('\n')],
    ['attachment 1-4 attachment:8081', 'attachment 1-4 127.0.0.1:1'],
  ];
  let configuration = readText('deploy/docker/proxy/haproxy.cfg');
  for (const [from, to] of changes) {
    if (configuration.split(from).length !== 2) throw new Error(`haproxy.cfg does not have "${from}" once`);
    configuration = configuration.replace(from, to);
  }
  return configuration.replaceAll(/\/tmp\/(\w+\.sock)/g, `${folder}/$1`);
};

/**
 * HAProxy with the file of the images, in front of instances of a gateway, until the test ends.
 * @returns the port of the API, how to have it read its file again, and how to send it a command
 */
export const startHaproxy = async (gateways: number[]) => {
  const folder = scratchFolder('haproxy');
  const [api, ...others] = [await freePort(), await freePort(), await freePort()];
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, localConfiguration(folder, api, gateways, others));
  // With a master process, as in its image.
  const args = ['-W', '-db', '-f', file];
  const child = await startChild({ command: haproxy ?? '', args, logFile: join(folder, 'log') });
  onTestFinished(() => child.stop('SIGTERM'));
  const first = keptConnection(api);
  await eventually(async () => expect((await first.ask('GET')).status, child.lastWords()).toBe(200));
  first.end();
  /** Sends a command to its socket, as `upgrade.sh` does. */
  const command = async (line: string) => {
    const socket = connect(join(folder, 'admin.sock'));
    socket.write(`${line}\n`);
    return text(socket);
  };
  return { api, readAgain: () => child.kill('SIGHUP'), command };
};

/**
 * A server that stands for an instance of the gateway.
 * @param answer hears of everything but its readiness
 * @param isReady always, where it is left out
 */
export const startInstance = async (answer: RequestListener, isReady = () => true) => {
  const server = createServer((incoming, response) => {
    if (incoming.url?.startsWith('/readyz')) response.writeHead(isReady() ? 200 : 503).end();
    else answer(incoming, response);
  });
  server.keepAliveTimeout = 72_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  onTestFinished(close);
  /** Goes away as a container does: nothing at its address answers any more, not even with a refusal. */
  const vanish = async () => {
    close();
    const silent = `const { parentPort, workerData } = require('node:worker_threads');
      require('node:net').createServer().listen({ port: workerData, host: '127.0.0.1', backlog: 1 }, () => {
        parentPort.postMessage('listening');
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      });`;
    const worker = new Worker(silent, { eval: true, workerData: port });
    onTestFinished(() => void worker.terminate());
    await once(worker, 'message');
    // Nobody accepts these: the queue is full, and whatever comes is dropped.
    const filling: Socket[] = [];
    onTestFinished(() => filling.forEach((socket) => void socket.destroy()));
    for (;;) {
      const socket = connect(port, '127.0.0.1').on('error', () => {});
      filling.push(socket);
      const accepted = await Promise.race([once(socket, 'connect').then(() => true), pause(100).then(() => false)]);
      if (!accepted) return;
    }
  };
  return { port, vanish };
};
