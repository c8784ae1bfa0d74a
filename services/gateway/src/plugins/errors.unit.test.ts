import { conflict } from '@cardinal/contracts';
import { createLogger } from '@cardinal/runtime';
import fastify from 'fastify';
import { expect, it } from 'vitest';
import { errors } from './errors.ts';

it('an error carries nothing that was said of a resource before', async () => {
  const app = fastify();
  errors(app, createLogger({ service: 'gateway', level: 'silent' }));
  app.get('/', (_request, reply) => {
    reply.headers({ etag: '"1"', location: '/cards/1', 'idempotent-replayed': 'true', 'x-kept': 'a' });
    throw conflict('archived');
  });
  const { statusCode, headers } = await app.inject('/');
  expect(statusCode).toBe(409);
  for (const name of ['etag', 'location', 'idempotent-replayed']) expect(headers).not.toHaveProperty(name);
  expect(headers).toMatchObject({ 'x-kept': 'a' });
});
