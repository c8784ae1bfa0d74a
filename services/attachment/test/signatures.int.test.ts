import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { scratchFolder } from '@cardinal/testkit';
import { expect, it, onTestFinished, vi } from 'vitest';
import { s3 } from '../src/storage/s3.ts';
import { signatureOf } from './support/signature-v4.ts';

/*
 * The AWS SDK signs. It is compared with a computation of the test's own, which is right for the examples of Amazon's
 * documentation ("Signature Calculations for the Authorization Header", "Authenticating Requests: Using Query Parameters").
 */

const region = 'us-east-1';
const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
vi.stubEnv('AWS_REGION', region);
vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAIOSFODNN7EXAMPLE');
vi.stubEnv('AWS_SECRET_ACCESS_KEY', secret);

const date = '20130524T000000Z';
const host = 'examplebucket.s3.amazonaws.com';
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const sign = (request: Omit<Parameters<typeof signatureOf>[0], 'signedHeaders' | 'date'>) =>
  signatureOf({ ...request, signedHeaders: Object.keys(request.headers).sort().join(';'), date }, { secret, region });

it('the examples of the documentation have the signatures that it gives', () => {
  const empty = hashOf('');
  const common = { host, 'x-amz-date': date };
  const get = { ...common, range: 'bytes=0-9', 'x-amz-content-sha256': empty };
  expect(sign({ method: 'GET', url: new URL(`https://${host}/test.txt`), headers: get, payload: empty })).toBe(
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  );
  const payload = hashOf('Welcome to Amazon S3.');
  const put = {
    ...{ ...common, date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-content-sha256': payload },
    'x-amz-storage-class': 'REDUCED_REDUNDANCY',
  };
  expect(sign({ method: 'PUT', url: new URL(`https://${host}/test%24file.text`), headers: put, payload })).toBe(
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  );
  const url = new URL(`https://${host}/test.txt`);
  url.search = `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2F${region}%2Fs3%2Faws4_request&X-Amz-Date=${date}&X-Amz-Expires=86400&X-Amz-SignedHeaders=host`;
  expect(sign({ method: 'GET', url, headers: { host }, payload: 'UNSIGNED-PAYLOAD' })).toBe(
    'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  );
});

const storageAt = (port: number) =>
  s3('files', { S3_ENDPOINT: `http://127.0.0.1:${port}`, SCRATCH_FOLDER: scratchFolder('scratch') });

it('an upload URL is signed with its path, its end and its content type', async () => {
  const target = await storageAt(9).direct?.target('workspace/file/incoming', new Date(Date.now() + 3_600_000));
  const url = new URL(target?.url ?? '');
  const read = (name: string) => url.searchParams.get(name) ?? '';
  const signature = (at: URL, headers: Record<string, string>) =>
    signatureOf(
      {
        ...{ method: 'PUT', url: at, headers: { host: url.host, ...headers } },
        ...{ signedHeaders: read('X-Amz-SignedHeaders'), payload: 'UNSIGNED-PAYLOAD', date: read('X-Amz-Date') },
      },
      { secret, region },
    );
  expect(read('X-Amz-SignedHeaders')).toBe('content-type;host');
  expect(signature(url, target?.headers ?? {})).toBe(read('X-Amz-Signature'));
  const [longer, elsewhere] = [new URL(url), new URL(url)];
  longer.searchParams.set('X-Amz-Expires', '604800');
  elsewhere.pathname = '/files/workspace/file/content';
  for (const altered of [longer, elsewhere]) {
    expect(signature(altered, target?.headers ?? {})).not.toBe(read('X-Amz-Signature'));
  }
  expect(signature(url, { 'content-type': 'text/html' })).not.toBe(read('X-Amz-Signature'));
});

it('a request of its own is signed likewise', async () => {
  let seen: IncomingMessage | undefined;
  const server = createServer((request, response) => {
    seen = request;
    response.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await storageAt(port).remove('workspace/file/content');
  const headers = seen?.headers as Record<string, string>;
  const [, signedHeaders = '', signature] =
    /SignedHeaders=([^,]+), Signature=(\w+)$/.exec(headers.authorization ?? '') ?? [];
  const request = {
    ...{ method: 'DELETE', url: new URL(seen?.url ?? '', `http://127.0.0.1:${port}`), headers, signedHeaders },
    ...{ payload: headers['x-amz-content-sha256'] ?? '', date: headers['x-amz-date'] ?? '' },
  };
  expect(signatureOf(request, { secret, region })).toBe(signature);
});
