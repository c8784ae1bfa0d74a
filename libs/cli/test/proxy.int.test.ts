import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEndOfFile } from '@cardinal/testkit';
import { expect, it } from 'vitest';
import { startCli } from './run-cli.ts';

const asked: string[] = [];
const listening = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEndOfFile(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};
/** It refuses, and notes what it was asked for. */
const proxy = await listening(
  createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(502).end();
  }).on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  }),
);
const direct = await listening(
  createServer((request, response) => {
    asked.push(`direct ${request.url}`);
    response.end('{}');
  }),
);

const run = async (url: string, env: Record<string, string>) => {
  asked.length = 0;
  const { code, stderr } = await startCli(['me', 'get'], { url, token: 'a' }, [], env).ended;
  return { code, stderr, asked: [...asked] };
};

it('asks the proxy that the environment names', async () => {
  for (const [scheme, name, port] of [
    ['http', 'HTTP_PROXY', 80],
    ['https', 'https_proxy', 443],
  ] as const) {
    const told = await run(`${scheme}://cardinal.example.invalid`, { [name]: proxy });
    expect(told.code).toBe(1);
    expect(told.asked[0]).toMatch(new RegExp(`cardinal\\.example\\.invalid(:${port}$|/)`));
  }
});

it('takes a proxy that is written without a scheme', async () => {
  const told = await run('http://cardinal.example.invalid', { http_proxy: proxy.replace('http://', '') });
  expect(told.stderr).not.toContain('warning');
  expect(told.asked[0]).toContain('cardinal.example.invalid');
});

it('asks this machine, and what NO_PROXY names, without it', async () => {
  const { asked: here } = await run(direct, { HTTP_PROXY: proxy });
  expect(here[0]).toMatch(/^direct /);
  for (const [exempt, url] of [
    ['other, .example.invalid', 'http://cardinal.example.invalid'],
    ['EXAMPLE.invalid', 'http://cardinal.example.invalid'],
    ['cardinal.example.invalid:81', 'http://cardinal.example.invalid:81'],
    ['*', 'http://cardinal.example.invalid'],
    ['127.0.0.2-127.0.0.9', 'http://127.0.0.3:1'],
  ] as const) {
    const { asked: none, stderr } = await run(url, { HTTP_PROXY: proxy, NO_PROXY: exempt });
    expect([exempt, none, stderr]).toEqual([exempt, [], expect.stringContaining(`no answer from ${url}`)]);
    expect(stderr).not.toContain('by way of the proxy');
  }
  for (const exempt of ['ample.invalid', 'cardinal.example.invalid:81']) {
    const told = await run('http://cardinal.example.invalid', { HTTP_PROXY: 'http://127.0.0.1:1', NO_PROXY: exempt });
    expect(told.stderr).toContain('by way of the proxy that HTTP_PROXY names');
  }
});

it('says what of the environment it does not obey', async () => {
  const { stderr } = await run(direct, { HTTP_PROXY: 'not a url' });
  expect(stderr).toContain('warning: HTTP_PROXY is not obeyed');
  const away = await run('http://cardinal.example.invalid', { HTTP_PROXY: 'http://127.0.0.1:1' });
  expect(away.stderr).toContain('by way of the proxy that HTTP_PROXY names');
});
