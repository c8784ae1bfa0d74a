import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { certificateAuthority, sharedStack } from '@cardinal/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { runHere, startCli } from './run-cli.ts';

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

it('says of a server that is away, or is another one, how to name Cardinal', async () => {
  expect(await line(['boards', 'list'], { url: 'http://127.0.0.1:2' })).toBe(
    'error: no answer from http://127.0.0.1:2 (ECONNREFUSED); start Cardinal with "npm start", or name it with --url or CARDINAL_URL',
  );
  const url = `http://127.0.0.1:${await portOf(createServer(page))}`;
  expect(await line(['boards', 'list'], { url })).toBe(
    `error: ${url} answered (200), but it is not Cardinal; name Cardinal with --url or CARDINAL_URL`,
  );
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
});
