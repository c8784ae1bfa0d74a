import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fileDouble } from '../../test/file-double.ts';
import { listen, serve } from '../../test/serve.ts';
import { createClient } from '../index.ts';

const failureOf = (promise: Promise<unknown>) => promise.then(() => undefined).catch((reason: unknown) => reason);
afterEach(() => {
  vi.useRealTimers();
});

describe('a download', () => {
  it('follows the API to the bytes without its token', async () => {
    const { client, asked, sent } = await fileDouble({ bytes: () => ({ status: 200, body: 'picture' }) });
    expect(await (await client.files.download('f1')).text()).toBe('picture');
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
    const { body } = await client.files.download('f1');
    vi.advanceTimersByTime(60_000);
    goOn.resolve();
    expect(await text(body)).toBe('first, then');
  });

  it('is asked for again after a refusal for now and after a lost answer', async () => {
    const { client, sent } = await fileDouble({
      bytes: (_, n) => (n === 1 ? 'hang up' : n === 2 ? { status: 503 } : { status: 200, body: 'picture' }),
    });
    expect(await (await client.files.download('f1')).text()).toBe('picture');
    expect(sent).toHaveLength(3);
  });

  it.each([
    [409, { error: { code: 'conflict', message: 'The file is still being checked' } }, 'conflict'],
    [200, '<html>Sign in</html>', 'unexpected_response'],
  ])('that is answered with %i by the API fails', async (status, body, code) => {
    const { url } = await serve(() => ({ status, body }));
    const client = createClient({ baseUrl: url, token: 't' });
    expect(await failureOf(client.files.download('f1'))).toMatchObject({ name: 'ApiError', status, code });
  });

  it('counts as lost when no answer comes in time', async () => {
    const { url } = await listen(() => {});
    const client = createClient({ baseUrl: url, token: 't', timeoutMs: 5, retry: { attempts: 2, baseMs: 1 } });
    expect(await failureOf(client.files.download('f1'))).toMatchObject({ name: 'ConnectionError', attempts: 2 });
  });

  it('ends when it is called off, also between its bytes', async () => {
    const { url } = await listen((_, response) => response.write('first'));
    const { client } = await fileDouble({ bytes: url });
    const stop = new AbortController();
    const { body } = await client.files.download('f1', { signal: stop.signal });
    stop.abort(new Error('enough'));
    expect(await failureOf(text(body))).toMatchObject({ message: 'enough' });
  });
});
