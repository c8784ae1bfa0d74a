import { CardinalError, conflict, unavailable } from '@cardinal/contracts';
import fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { errorResponse, HttpError, sendError, toCardinalError } from './errors.ts';

const foreign = (statusCode: number) => Object.assign(new Error('secret detail'), { statusCode });

describe('toCardinalError', () => {
  it('keeps an error of the catalogue', () => {
    const error = new CardinalError('conflict', 'archived');
    expect(toCardinalError(error)).toBe(error);
  });

  it.each([
    [400, 'invalid_request'],
    [414, 'invalid_request'],
    [413, 'payload_too_large'],
    [415, 'unsupported_media_type'],
    [503, 'unavailable'],
    [500, 'internal'],
    [502, 'internal'],
  ])('makes a foreign %i %s, without its text', (status, code) => {
    const error = toCardinalError(foreign(status));
    expect(error.code).toBe(code);
    expect(error.message).not.toContain('secret');
  });

  it('makes a full disk unavailable, without its text', () => {
    const error = toCardinalError(Object.assign(new Error('ENOSPC: no space left, write'), { code: 'ENOSPC' }));
    expect(error).toMatchObject({ code: 'unavailable', message: 'The service is not available' });
  });

  it.each([
    new Error('secret'),
    new CardinalError('internal', 'secret'),
    'secret',
    undefined,
    null,
    { statusCode: 200 },
  ])('tells nothing of %s', (error) => {
    expect(toCardinalError(error)).toMatchObject({ code: 'internal', message: expect.not.stringContaining('secret') });
  });

  it('keeps what says more in HTTP, also of what is unavailable', () => {
    const error = new HttpError('unavailable', 'The gateway stops', { headers: { 'retry-after': '0' } });
    expect(toCardinalError(error)).toBe(error);
    expect(errorResponse(error, 'r')).toMatchObject({ status: 503, headers: { 'retry-after': '0' } });
  });

  it('keeps what could not be reached for the log', () => {
    const error = unavailable('Nobody serves rpc.card.create-board');
    expect(toCardinalError(error)).toMatchObject({
      code: 'unavailable',
      message: 'The service is not available',
      cause: error,
    });
  });
});

it('an error carries nothing that was said of a resource before', async () => {
  const app = fastify();
  app.setErrorHandler((error, request, reply) => sendError(request, reply, error));
  app.get('/', (_request, reply) => {
    reply.headers({ etag: '"1"', location: '/cards/1', 'idempotent-replayed': 'true', 'x-kept': 'a' });
    throw conflict('archived');
  });
  const { statusCode, headers } = await app.inject('/');
  expect(statusCode).toBe(409);
  for (const name of ['etag', 'location', 'idempotent-replayed']) expect(headers).not.toHaveProperty(name);
  expect(headers).toMatchObject({ 'x-kept': 'a' });
});
