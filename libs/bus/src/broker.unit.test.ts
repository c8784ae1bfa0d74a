import { describe, expect, it } from 'vitest';
import { connectionOptions } from './broker.ts';

describe('connectionOptions', () => {
  it.each([
    ['nats://127.0.0.1:4222', { servers: ['127.0.0.1:4222'] }],
    ['localhost:4333', { servers: ['localhost:4333'] }],
    ['nats://card:p%40ss%2Cword@nats', { servers: ['nats'], user: 'card', pass: 'p@ss,word' }],
    ['nats://s3cret@nats:4222', { servers: ['nats:4222'], token: 's3cret' }],
    ['nats://u:p@a:1, nats://u:p@b:2', { servers: ['a:1', 'b:2'], user: 'u', pass: 'p' }],
    ['nats://[::1]:4222', { servers: ['[::1]:4222'] }],
  ])('%s', (url, expected) => {
    expect(connectionOptions({ url })).toEqual(expected);
  });
});
