import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { fileDouble, fileThatIs } from '../../test/file-double.ts';
import { listen, type Script, serve } from '../../test/serve.ts';
import { ApiError, ConnectionError, createClient, FileNotCleanError } from '../index.ts';
import { pauseAfter } from './until-clean.ts';

const plan = { name: 'plan.png' };
const picture = new Blob(['picture']);
const failureOf = (promise: Promise<unknown>) => promise.then(() => undefined).catch((reason: unknown) => reason);
const refusal = (status: number, code: string) => ({ status, body: { error: { code, message: 'No.' } } });
const closeOf = (stream: Readable) => new Promise((resolve) => stream.once('close', resolve));
const goneOnce: Script = (_, n) => (n === 1 ? 'hang up' : { status: 200, body: {} });

describe('an upload', () => {
  it('creates, sends what the API named and no token, and waits until the file is clean', async () => {
    const states = ['pending', 'scanning', 'clean'].map((status) => fileThatIs(status));
    const { client, asked, sent } = await fileDouble({ states });
    expect(await client.files.upload(plan, picture)).toEqual(fileThatIs('clean'));
    expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /api/kanban/v1/files',
      ...Array(3).fill('GET /api/kanban/v1/files/f1'),
    ]);
    expect(asked[0]?.body).toBe('{"name":"plan.png"}');
    expect(sent).toMatchObject([
      { method: 'PUT', url: '/up?signature=s', headers: { 'x-named': 'yes', 'content-length': '7' }, body: 'picture' },
    ]);
    for (const name of ['authorization', 'idempotency-key']) expect(sent[0]?.headers).not.toHaveProperty(name);
  });

  it.each([
    ['a Blob', picture],
    ['bytes', Buffer.from('picture')],
  ])('of %s is sent again after a lost answer and a refusal for now, for the same file', async (_, bytes) => {
    const { client, asked, sent } = await fileDouble({
      bytes: (_, n) => (n === 1 ? 'hang up' : n === 2 ? refusal(503, 'unavailable') : { status: 200, body: {} }),
    });
    await client.files.upload(plan, bytes);
    expect(sent.map(({ body }) => body)).toEqual(['picture', 'picture', 'picture']);
    expect(asked.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('whose answer was lost may find its bytes there', async () => {
    const { client } = await fileDouble({ bytes: (_, n) => (n === 1 ? 'hang up' : refusal(409, 'conflict')) });
    expect(await client.files.upload(plan, picture)).toEqual(fileThatIs('clean'));
  });

  it('under a key used before goes on where it ended', async () => {
    const begun = await fileDouble({ replayed: true, states: [fileThatIs('pending'), fileThatIs('clean')] });
    await begun.client.files.upload(plan, picture, { idempotencyKey: 'mine' });
    expect(begun.asked[0]?.headers['idempotency-key']).toBe('mine');
    expect(begun.sent).toHaveLength(1);
    const scanned = await fileDouble({ replayed: true });
    expect(await scanned.client.files.upload(plan, picture, { idempotencyKey: 'mine' })).toEqual(fileThatIs('clean'));
    expect(scanned.sent).toHaveLength(0);
  });

  it.each([
    [413, 'payload_too_large'],
    [403, 'insufficient_scope'],
  ])('refused with %i says so as the API does', async (status, code) => {
    const { client, sent } = await fileDouble({ bytes: () => refusal(status, code) });
    const failure = await failureOf(client.files.upload(plan, picture));
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({ status, code });
    expect(sent).toHaveLength(1);
  });

  it('refused by a bucket tells its status, and no signature', async () => {
    const { client, bytesUrl } = await fileDouble({ bytes: () => ({ status: 403, body: '<Error/>' }) });
    const failure = await failureOf(client.files.upload(plan, picture));
    expect(failure).toMatchObject({ status: 403, code: 'unexpected_response' });
    expect(String(failure)).toContain(`${bytesUrl}/up answered without`);
  });
});

describe('an upload of a stream', () => {
  it('passes it on as it comes', async () => {
    const arrived = Promise.withResolvers<void>();
    const whole = Promise.withResolvers<string>();
    const { url } = await listen((request, response) => {
      request.once('data', () => arrived.resolve());
      text(request).then(whole.resolve, whole.reject);
      request.once('end', () => response.end('{}'));
    });
    const { client } = await fileDouble({ bytes: url });
    async function* bytes() {
      yield Buffer.from('first, ');
      await arrived.promise;
      yield Buffer.from('then');
    }
    await client.files.upload(plan, bytes());
    expect(await whole.promise).toBe('first, then');
  });

  it('announces a size that is known', async () => {
    const { client, sent } = await fileDouble();
    await client.files.upload(plan, Readable.toWeb(Readable.from([Buffer.from('picture')])), { size: 7 });
    await client.files.upload(plan, Readable.from([Buffer.from('picture')]));
    expect(sent.map(({ body }) => body)).toEqual(['picture', 'picture']);
    expect(sent[0]?.headers).toMatchObject({ 'content-length': '7' });
    expect(sent[1]?.headers).toMatchObject({ 'transfer-encoding': 'chunked' });
  });

  it.each([
    ['a lost answer', goneOnce, ConnectionError],
    ['a refusal for now', () => refusal(503, 'unavailable'), ApiError],
  ] as const)('is not repeated after %s, and closes the stream', async (_, bytes, kind) => {
    const { client, sent } = await fileDouble({ bytes });
    const stream = Readable.from([Buffer.from('picture')]);
    const closed = closeOf(stream);
    const failure = await failureOf(client.files.upload(plan, stream));
    expect(failure).toBeInstanceOf(kind);
    expect(failure).toMatchObject({ attempts: 1 });
    expect(sent).toHaveLength(1);
    await closed;
  });

  it('closes it where it was not needed', async () => {
    const { url } = await serve(() => refusal(404, 'not_found'));
    const client = createClient({ baseUrl: url, token: 't' });
    const stream = createReadStream(import.meta.filename);
    const closed = closeOf(stream);
    expect(await failureOf(client.files.upload(plan, stream))).toMatchObject({ code: 'not_found' });
    await closed;
  });

  it('fails with what the stream failed with', async () => {
    const { client } = await fileDouble();
    const stream = createReadStream('/nowhere/plan.png');
    expect(await failureOf(client.files.upload(plan, stream))).toMatchObject({
      code: 'ENOENT',
      path: '/nowhere/plan.png',
    });
  });
});

describe('the wait for a file', () => {
  it.each([
    ['infected', null, 'The file "plan.png" is infected'],
    ['rejected', 'broken_image', 'The file "plan.png" is rejected: broken_image'],
  ])('ends when it is %s', async (status, rejection, message) => {
    const { client } = await fileDouble({ states: [fileThatIs(status, rejection)] });
    const failure = await failureOf(client.files.upload(plan, picture));
    expect(failure).toBeInstanceOf(FileNotCleanError);
    expect(failure).toMatchObject({ message, file: { id: 'f1', status, rejection } });
  });

  it('ends with its deadline', async () => {
    const { client, asked } = await fileDouble({ states: [fileThatIs('scanning')] });
    const failure = await failureOf(client.files.waitUntilClean('f1', { waitMs: 0 }));
    expect(failure).toBeInstanceOf(FileNotCleanError);
    expect(failure).toMatchObject({ message: 'The file "plan.png" is still scanning', file: { status: 'scanning' } });
    expect(asked).toHaveLength(1);
  });

  it('looks less and less often', () => {
    expect([1, 2, 3, 4, 5, 6, 7].map(pauseAfter)).toEqual([100, 200, 400, 800, 1_600, 3_000, 3_000]);
  });
});

describe('an upload that is called off', () => {
  it('ends while the bytes are under way', async () => {
    const stop = new AbortController();
    const { url } = await listen((request) => request.once('data', () => stop.abort(new Error('enough'))));
    const { client, asked } = await fileDouble({ bytes: url });
    const endless = new Readable({ read: () => {} });
    endless.push('some');
    expect(await failureOf(client.files.upload(plan, endless, { signal: stop.signal }))).toMatchObject({
      message: 'enough',
    });
    expect(asked).toHaveLength(1);
  });

  it('ends while the file is checked', async () => {
    const stop = new AbortController();
    const { client } = await fileDouble({
      bytes: () => {
        stop.abort(new Error('enough'));
        return { status: 200, body: {} };
      },
      states: [fileThatIs('scanning')],
    });
    expect(await failureOf(client.files.upload(plan, picture, { signal: stop.signal }))).toMatchObject({
      message: 'enough',
    });
  });
});
