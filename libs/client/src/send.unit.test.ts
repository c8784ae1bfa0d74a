import { expect, it } from 'vitest';
import { createSender } from './index.ts';

const json = (status: number, body: unknown) => new Response(JSON.stringify(body), { status });
const unavailable = () => json(503, { error: { code: 'unavailable', message: 'away', request_id: 'r' } });

/** A sender whose requests are answered one after the other. */
const answering = (...answers: Response[]) => {
  const sent: { url: string; init: RequestInit }[] = [];
  const send = createSender({
    baseUrl: 'http://cardinal.example',
    token: 'secret',
    retry: { baseMs: 1, capMs: 1, longestRetryAfterMs: 1 },
    fetch: async (url, init) => {
      sent.push({ url: String(url), init: init ?? {} });
      return answers.shift() ?? unavailable();
    },
  });
  return { send, sent };
};
const creating = { operation: 'createCard', method: 'POST', path: '/columns/1/cards', body: { title: 'x' } };

it('sends what it is given, with the token, and answers status, headers and body', async () => {
  const answer = new Response('{"data":1}', { status: 201, headers: { etag: '"1"' } });
  const { send, sent } = answering(answer);
  const { status, headers, body } = await send({ ...creating, headers: { 'idempotency-key': 'k' } });
  expect([status, headers.get('etag'), body]).toEqual([201, '"1"', { data: 1 }]);
  expect(sent[0]?.url).toBe('http://cardinal.example/api/kanban/v1/columns/1/cards');
  expect(sent[0]?.init).toMatchObject({
    method: 'POST',
    body: '{"title":"x"}',
    headers: { authorization: 'Bearer secret', 'content-type': 'application/json', 'idempotency-key': 'k' },
  });
});

it('repeats requests that are safe to repeat, and no others', async () => {
  const keyed = answering(unavailable(), json(200, { data: 2 }));
  expect((await keyed.send({ ...creating, headers: { 'idempotency-key': 'k', 'if-match': '"1"' } })).body).toEqual({
    data: 2,
  });
  expect(keyed.sent).toHaveLength(2);
  const patch = { operation: 'patchCard', method: 'PATCH', path: '/cards/1', headers: { 'if-match': '"1"' }, body: {} };
  let sendings = 0;
  const lost = createSender({
    baseUrl: 'http://cardinal.example',
    token: 'secret',
    fetch: async () => {
      sendings += 1;
      throw new TypeError('reset');
    },
  });
  await expect(lost(patch)).rejects.toMatchObject({ code: 'connection_failed' });
  expect(sendings).toBe(1);
});

it('returns the address of bytes without downloading them', async () => {
  const bytes = new Response('bytes');
  Object.defineProperties(bytes, { redirected: { value: true }, url: { value: 'http://files.example/1?signature' } });
  const { send } = answering(bytes);
  const { status, headers } = await send({ operation: 'getFileContent', method: 'GET', path: '/files/1/content' });
  expect([status, headers.get('location')]).toEqual([302, 'http://files.example/1?signature']);
  expect(bytes.body?.locked === false && bytes.bodyUsed).toBe(true);
});

it('throws what the service refuses', async () => {
  const { send } = answering(json(404, { error: { code: 'not_found', message: 'Card not found', request_id: 'r' } }));
  const reading = { operation: 'getCard', method: 'GET', path: '/cards/NONE-1' };
  await expect(send(reading)).rejects.toMatchObject({ code: 'not_found', status: 404, requestId: 'r' });
});
