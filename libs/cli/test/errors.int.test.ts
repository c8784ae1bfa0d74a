import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { clientVersion } from '@cardinal/client/source';
import { certificateAuthority, scratchFolder, sharedStack } from '@cardinal/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { runHere, runInShell, startCli } from './run-cli.ts';

const stack = await sharedStack();
const token = await stack.token({ scope: 'kanban:read' });

const portOf = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
};

const page: RequestListener = (_request, response) => response.end('<html>It works!</html>');

/** The one line that is said of a failure; nothing is printed that a program would read. */
const line = async (args: string[], access: { url?: string; token?: string }, code = 1) => {
  const ended = await runHere(args, { url: stack.origin, token, ...access });
  expect([ended.code, ended.stdout, ended.stderr.split('\n').length]).toEqual([code, '', 2]);
  return ended.stderr.trimEnd();
};

it('says of a token that has ended, and of one without a scope, where another comes from', async () => {
  const ended = await stack.token({ expiresIn: -60 });
  expect(await line(['boards', 'list'], { token: ended })).toMatch(
    /^error: the token was not accepted, .*"cardinal login"/,
  );
  expect(await line(['boards', 'create', '--name', 'x'], {})).toMatch(/^error: the token lacks a scope; reading needs/);
});

it('says of what is somebody else’s that it is, and nothing of scopes', async () => {
  const workspace = randomUUID();
  const [first, second] = [await stack.token({ workspace }), await stack.token({ workspace })];
  const made = await runHere(['webhooks', 'create', '--webhook-url', 'https://receiver.invalid/', '--json'], {
    url: stack.origin,
    token: first,
  });
  const { id } = JSON.parse(made.stdout);
  expect(await line(['webhooks', 'rotate', id], { token: second })).toMatch(
    /^error: the service refused: This is for its creator alone; other admins may pause a webhook/,
  );
  expect((await runHere(['webhooks', 'takeover', id], { url: stack.origin, token: second })).code).toBe(0);
  expect(await line(['webhooks', 'rotate', id], { token: first })).toMatch(/its creator alone/);
});

it('says of a server that is away, or is another one, how to name Cardinal', async () => {
  expect(await line(['boards', 'list'], { url: 'http://127.0.0.1:2' })).toBe(
    'error: no answer from http://127.0.0.1:2 (ECONNREFUSED); start Cardinal with "npm start", or name it with --url or CARDINAL_URL',
  );
  const url = `http://127.0.0.1:${await portOf(createServer(page))}`;
  expect(await line(['boards', 'list'], { url })).toBe(
    `error: ${url} answered (200), but it is not Cardinal; name Cardinal with --url or CARDINAL_URL`,
  );
});

it('says so of another API, and of an address or a token that can be none, before anything is sent', async () => {
  const other = createServer((_request, response) => response.end('{"status":"UP"}'));
  const url = `http://127.0.0.1:${await portOf(other)}`;
  for (const args of [['boards', 'list'], ['show', 'MAIN-1'], ['events'], ['api', 'GET', '/me']])
    expect(await line(args, { url })).toBe(
      `error: ${url} answered (200), but it is not Cardinal; name Cardinal with --url or CARDINAL_URL`,
    );
  const profiles = scratchFolder('profiles');
  const login = await runHere(['login', '--url', url, '--token', 't'], {}, '/', { profiles });
  expect([login.code, login.stderr, readdirSync(profiles)]).toEqual([1, expect.stringContaining('not Cardinal'), []]);
  for (const address of ['cardinal', 'localhost:8080', 'ftp://127.0.0.1'])
    expect(await line(['boards', 'list'], { url: address }, 2)).toBe(
      `error: CARDINAL_URL: "${address}" is no http or https URL such as http://127.0.0.1:8080`,
    );
  const wrong = /^error: the token is none: it must be one word of ASCII letters, digits and signs$/;
  expect(await line(['boards', 'list'], { token: 'se\ncret' })).toMatch(wrong);
  expect(await line(['boards', 'list', '--token', 'größe'], {})).toMatch(wrong);
  const issuer = await line(['login', '--issuer', 'login', '--client-id', 'c'], {}, 2);
  expect(issuer).toContain('It must be an http or https URL');
  const key = ['--idempotency-key', 'a\nb'];
  for (const args of [
    ['boards', 'create', '--name', 'x', ...key],
    ['api', 'POST', '/boards', ...key],
  ])
    expect(await line(args, {}, 2)).toBe('error: --idempotency-key: must be 1 to 255 visible ASCII characters');
});

it('says which version a resource has that was changed since', async () => {
  const access = { token: await stack.token({ scope: 'kanban:write kanban:read' }) };
  await runHere(['boards', 'create', '--name', 'Versions'], { url: stack.origin, ...access });
  expect(await line(['boards', 'update', 'Versions', '--name', 'x', '--version', '7'], access)).toBe(
    'error: it was changed since; read it again, then say the version that it has now: --version 1',
  );
});

it('merges with what others changed, and names them where it cannot', async () => {
  const access = { token: await stack.token({ scope: 'kanban:write kanban:read' }) };
  const run = (...args: string[]) => runHere(args, { url: stack.origin, ...access });
  await run('boards', 'create', '--name', 'Merged');
  await run('columns', 'create', 'Merged', '--name', 'To do');
  await run('cards', 'create', '--board', 'Merged', '--column', 'To do', 'Refund');
  await run('cards', 'update', 'MAIN-1', '--title', 'Refund twice');
  const update = (...args: string[]) => run('cards', 'update', 'MAIN-1', '--version', '1', '--merge', ...args);
  await expect
    .poll(() => update('--title', 'Refund once'))
    .toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^error: it was changed since \(version 2 by [0-9a-f-]{36}: title\); this changes title too; read it again, .* --version 2\n$/,
      ),
    });
  await expect.poll(() => update('--priority', 'urgent')).toMatchObject({ code: 0 });
  expect(JSON.parse((await run('cards', 'get', 'MAIN-1', '--json')).stdout)).toMatchObject({
    title: 'Refund twice',
    priority: 'urgent',
    version: 3,
  });
});

it('says in one line that a full disk or a closed pipe takes no output', async () => {
  const run = (redirection: string, ...args: string[]) => runInShell(args, redirection, { url: stack.origin, token });
  expect(await run('> /dev/full', '--help')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'error: the output could not be written: ENOSPC: no space left on device, write\n',
  });
  expect(await run('| true', '--help')).toEqual({ code: 0, stdout: '', stderr: '' });
  expect((await run('2> /dev/full', 'boards', 'lst')).code).toBe(2);
});

it('says of a file that breaks off that it is not whole', async () => {
  const files = createServer((request, response) => {
    if (request.url?.endsWith('/content')) return response.writeHead(302, { location: '/bytes' }).end();
    response.writeHead(200, { 'content-length': 10 }).write('half', () => response.destroy());
  });
  const url = `http://127.0.0.1:${await portOf(files)}`;
  const { code, stderr } = await startCli(['files', 'get-content', crypto.randomUUID()], { url, token }).ended;
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^error: the file was not served whole: .*; run it again\n$/),
  ]);
});

it('says of certificates that are not trusted, and of a server without TLS, what to do', async () => {
  const authority = await certificateAuthority();
  const serve = async (name: string) => {
    const { certificate, key } = await authority.issue(name);
    return portOf(createTlsServer({ cert: readFileSync(certificate), key: readFileSync(key) }, page));
  };
  const url = `https://127.0.0.1:${await serve('127.0.0.1')}`;
  expect(await line(['boards', 'list'], { url })).toMatch(
    /^error: the certificate of \S+ is not trusted \(UNABLE_TO_\w+\); .*NODE_EXTRA_CA_CERTS/,
  );
  // Followed, it is no longer a matter of trust; and a certificate of another host is none.
  const trusting = { NODE_EXTRA_CA_CERTS: authority.file };
  const asked = (address: string) => startCli(['boards', 'list'], { url: address, token }, [], trusting).ended;
  expect((await asked(url)).stderr).toContain('it is not Cardinal');
  const other = `https://127.0.0.1:${await serve('other.example')}`;
  expect((await asked(other)).stderr).toMatch(
    /^error: the certificate of \S+ is not trusted \(ERR_TLS_CERT_ALTNAME_INVALID\)/,
  );
  const plain = `https://127.0.0.1:${await portOf(createServer(page))}`;
  expect(await line(['boards', 'list'], { url: plain })).toMatch(
    /^error: \S+ speaks no TLS .*; is it http:\/\/ there\?$/,
  );
});

it('exits with 2 for what it does not understand, and with 0 where help was asked for', async () => {
  expect(await line(['boards', 'lst'], {}, 2)).toMatch(/^error: unknown command 'lst'/);
  expect(await line(['refs', '--gti', 'x'], {}, 2)).toMatch(/^error: unknown option '--gti'/);
  expect(await line(['--url', 'x', 'boards', 'list'], {}, 2)).toContain('It must be an http or https URL');
  expect((await runHere(['events', '--help'], {})).code).toBe(0);
  expect(await runHere(['--version'], {})).toEqual({ code: 0, stdout: `${clientVersion}\n`, stderr: '' });
});
