import { listBoards } from '@cardinal/contracts';
import { v7 } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway } from './gateway.ts';

const origin = 'https://app.example.com';
const noBoards = () => ({ items: [], next_cursor: null });

describe('CORS with an origin', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ CORS_ORIGINS: `${origin}, https://other.example.com`, RATE_LIMIT_MAX: '1000' });
    gateway.serve(listBoards, noBoards);
  });

  const preflight = (path: string, headers: Record<string, string> = {}) =>
    gateway.call({
      method: 'OPTIONS',
      path,
      token: false,
      headers: { origin, 'access-control-request-method': 'PATCH', ...headers },
    });

  it.each(['/boards', `/cards/${v7()}`, '/nowhere', '/%zz'])(
    'answers a preflight of %s without a token',
    async (path) => {
      const answer = await preflight(path, {
        'access-control-request-headers': 'authorization,if-match,idempotency-key',
      });
      expect(answer.status).toBe(204);
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
        'access-control-allow-headers': 'authorization,if-match,idempotency-key',
        'access-control-max-age': '600',
        'x-request-id': expect.any(String),
      });
      expect(answer.headers.vary).toContain('Origin');
    },
  );

  it.each<[string, string, string | false | undefined, number]>([
    ['GET', '/boards', undefined, 200],
    ['GET', '/boards', false, 401],
    ['GET', '/nowhere', undefined, 404],
    ['GET', '/%zz', undefined, 400],
    ['GET', '/%zz', false, 401],
    ['DELETE', '/boards', undefined, 405],
    ['PATCH', `/cards/${v7()}`, undefined, 428],
  ])('lets a page read the answer to %s %s', async (method, path, token, status) => {
    const answer = await gateway.call({ method, path, headers: { origin }, ...(token === false ? { token } : {}) });
    expect(answer.status).toBe(status);
    expect(answer.headers['access-control-allow-origin']).toBe(origin);
    expect(answer.headers.vary).toContain('Origin');
    const exposed = String(answer.headers['access-control-expose-headers']).split(', ');
    const limit = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
    const first = ['ETag', 'Location', 'Retry-After', ...limit];
    expect(exposed).toEqual([...first, 'Idempotent-Replayed', 'Cardinal-Key-Expires', 'X-Request-Id']);
  });

  it.each(['https://evil.example.com', 'https://app.example.com.evil.com', 'http://app.example.com', 'null'])(
    'gives a page of %s no permission',
    async (stranger) => {
      const answers = [
        await gateway.call({ path: '/boards', headers: { origin: stranger } }),
        await preflight('/boards', { origin: stranger }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([200, 401]);
      for (const { headers } of answers) {
        expect(headers).not.toHaveProperty('access-control-allow-origin');
        expect(headers.vary).toContain('Origin');
      }
    },
  );

  it('varies by origin also where none is sent, and allows no credentials', async () => {
    const answer = await gateway.call({ path: '/boards' });
    expect(answer.headers.vary).toContain('Origin');
    expect((await preflight('/boards')).headers).not.toHaveProperty('access-control-allow-credentials');
  });

  it('leaves OPTIONS that are no preflight to the API', async () => {
    const options = { method: 'OPTIONS', headers: { origin } };
    expect((await gateway.call({ ...options, path: '/boards', token: false })).status).toBe(401);
    const answer = await gateway.call({ ...options, path: '/boards' });
    expect(answer).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD, POST' } });
    expect((await gateway.call({ ...options, path: '/nowhere' })).status).toBe(404);
  });
});

describe('CORS without origins', () => {
  it('is off', async () => {
    const gateway = await startGateway();
    gateway.serve(listBoards, noBoards);
    const answer = await gateway.call({ path: '/boards', headers: { origin } });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    expect(answer.headers).not.toHaveProperty('vary');
    const headers = { origin, 'access-control-request-method': 'GET' };
    expect((await gateway.call({ method: 'OPTIONS', path: '/boards', token: false, headers })).status).toBe(401);
    await gateway.stop();
  });
});
