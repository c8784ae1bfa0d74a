import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fileDouble, fileThatIs } from '../test/file-double.ts';
import { failureOf, listen, type Script, talkTo } from '../test/serve.ts';
import { pauseAfter } from './files.ts';
import { CardinalError, createClient } from './index.ts';

const plan = { name: 'plan.png' };
const picture = new Blob(['picture']);
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

  it('under a used key continues where it ended', async () => {
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
    expect(failure).toBeInstanceOf(CardinalError);
    expect(failure).toMatchObject({ status, code });
    expect(sent).toHaveLength(1);
  });

  it('refused by a bucket reports its status, and no signature', async () => {
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
    ['a lost answer', goneOnce, 'connection_failed'],
    ['a refusal for now', () => refusal(503, 'unavailable'), 'unavailable'],
  ] as const)('is not repeated after %s, and closes the stream', async (_, bytes, code) => {
    const { client, sent } = await fileDouble({ bytes });
    const stream = Readable.from([Buffer.from('picture')]);
    const closed = closeOf(stream);
    const failure = await failureOf(client.files.upload(plan, stream));
    expect(failure).toMatchObject({ code, attempts: 1 });
    expect(sent).toHaveLength(1);
    await closed;
  });

  it('closes it where it was not needed', async () => {
    const { client } = await talkTo(() => refusal(404, 'not_found'));
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
    expect(failure).toMatchObject({
      code: 'file_not_clean',
      message: `${message} (file_not_clean)`,
      details: { file: { id: 'f1', status, rejection } },
    });
  });

  it('ends with its deadline', async () => {
    const { client, asked } = await fileDouble({ states: [fileThatIs('scanning')] });
    const failure = await failureOf(client.files.waitUntilClean('f1', { waitMs: 0 }));
    expect(failure).toMatchObject({
      code: 'file_not_clean',
      message: 'The file "plan.png" is still scanning (file_not_clean)',
      details: { file: { status: 'scanning' } },
    });
    expect(asked).toHaveLength(1);
  });

  it('looks less and less often', () => {
    expect([1, 2, 3, 4, 5, 6, 7].map(pauseAfter)).toEqual([100, 200, 400, 800, 1_600, 3_000, 3_000]);
  });
});

describe('an upload that is aborted', () => {
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

afterEach(() => {
  vi.useRealTimers();
});

describe('a download', () => {
  it('follows the API to the bytes without its token', async () => {
    const { client, asked, sent } = await fileDouble({ bytes: () => ({ status: 200, body: 'picture' }) });
    expect(await (await client.files.getContent('f1')).text()).toBe('picture');
    expect(asked[0]).toMatchObject({
      url: '/api/kanban/v1/files/f1/content',
      headers: { authorization: 'Bearer secret' },
    });
    expect(sent[0]?.url).toBe('/down');
    expect(sent[0]?.headers).not.toHaveProperty('authorization');
  });

  it('hands the bytes out as they come, for as long as they take', async () => {
    const goOn = Promise.withResolvers<void>();
    const { url } = await listen(async (_, response) => {
      response.write('first, ');
      await goOn.promise;
      response.end('then');
    });
    const { client } = await fileDouble({ bytes: url });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { body } = await client.files.getContent('f1');
    vi.advanceTimersByTime(60_000);
    goOn.resolve();
    expect(await text(body)).toBe('first, then');
  });

  it('is requested again after a temporary refusal and after a lost answer', async () => {
    const { client, sent } = await fileDouble({
      bytes: (_, n) => (n === 1 ? 'hang up' : n === 2 ? { status: 503 } : { status: 200, body: 'picture' }),
    });
    expect(await (await client.files.getContent('f1')).text()).toBe('picture');
    expect(sent).toHaveLength(3);
  });

  it.each([
    [409, { error: { code: 'conflict', message: 'The file is still being checked' } }, 'conflict'],
    [200, '<html>Sign in</html>', 'unexpected_response'],
  ])('that is answered with %i by the API fails', async (status, body, code) => {
    const { client } = await talkTo(() => ({ status, body }));
    expect(await failureOf(client.files.getContent('f1'))).toMatchObject({ name: 'CardinalError', status, code });
  });

  it('counts as lost when no answer comes in time', async () => {
    const { url } = await listen(() => {});
    const client = createClient({ baseUrl: url, token: 't', timeoutMs: 5, retry: { attempts: 2, baseMs: 1 } });
    expect(await failureOf(client.files.getContent('f1'))).toMatchObject({ code: 'timed_out', attempts: 1 });
  });

  it('ends when it is aborted, also between its bytes', async () => {
    const { url } = await listen((_, response) => response.write('first'));
    const { client } = await fileDouble({ bytes: url });
    const stop = new AbortController();
    const { body } = await client.files.getContent('f1', { signal: stop.signal });
    stop.abort(new Error('enough'));
    expect(await failureOf(text(body))).toMatchObject({ message: 'enough' });
  });
});
