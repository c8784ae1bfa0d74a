import { beforeAll, describe, expect, it } from 'vitest';
import { api, type SharedStack, sharedStack } from '../src/index.ts';

let stack: SharedStack;
beforeAll(async () => {
  stack = await sharedStack();
});

describe('sharedStack', () => {
  it('is one stack however many ask for it', async () => {
    const [one, other] = await Promise.all([sharedStack(), sharedStack()]);
    expect(one.baseUrl).toBe(other.baseUrl);
    expect((await api(one.origin).get('/readyz')).status).toBe(200);
  });

  it('accepts its own tokens, each in a workspace of its own', async () => {
    const mine = api(stack.baseUrl, await stack.token());
    expect((await mine.post('/boards', { body: { name: 'Mine' } })).status).toBe(201);
    const other = await api(stack.baseUrl, await stack.token()).get<unknown[]>('/boards');
    expect(other.body.data).toEqual([]);
  });
});
