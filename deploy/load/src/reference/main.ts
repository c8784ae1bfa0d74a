/**
 * The reference that Cardinal is measured against: the same API for the paths that are measured, in one process over one
 * database, with one transaction a write. It is what a good engineer writes in a day: prepared statements, the right
 * indexes, tokens verified once a minute, bodies checked with the same schemas.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  type Caller,
  CardinalError,
  createCardBody,
  errorStatus,
  patchCardBody,
  transferCardBody,
  uuid,
} from '@cardinal/contracts';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { pino } from 'pino';
import { z } from 'zod';
import * as cards from './cards.ts';
import type { Answer, Command } from './commands.ts';
import { readConfig } from './config.ts';
import { openPool } from './database.ts';

const config = readConfig();
const pool = openPool(config.DATABASE_URL, config.DATABASE_POOL_SIZE);
const keys = createLocalJWKSet(JSON.parse(readFileSync(config.JWKS_FILE, 'utf8')));
const logger = pino({ level: 'info' });
const app = fastify({ loggerInstance: logger, disableRequestLogging: true });

const tokenMs = 60_000;
const verified = new Map<string, { caller: Caller; until: number }>();
const claims = z.object({ sub: uuid, workspace_id: uuid, scope: z.string() });

const callerOf = async (request: FastifyRequest): Promise<Caller> => {
  const token = /^bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
  const known = verified.get(token);
  if (known && known.until > Date.now()) return known.caller;
  const { payload } = await jwtVerify(token, keys, { issuer: config.TOKEN_ISSUER, audience: config.TOKEN_AUDIENCE });
  const { sub, workspace_id, scope } = claims.parse(payload);
  if (!scope.includes('kanban:')) throw new CardinalError('insufficient_scope', 'The token lacks the scope');
  const caller = { workspace_id, user_id: sub };
  if (verified.size >= 10_000) verified.clear();
  verified.set(token, { caller, until: Date.now() + tokenMs });
  return caller;
};

const parsed = <Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> => {
  const result = schema.safeParse(value);
  if (!result.success) throw new CardinalError('validation_error', z.prettifyError(result.error));
  return result.data;
};

const commandOf = (request: FastifyRequest, { workspace_id, user_id }: Caller): Command => {
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string') throw new CardinalError('invalid_request', 'Idempotency-Key is missing');
  const { method, url, headers, body } = request;
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([method, url, headers['if-match'], body]))
    .digest('base64');
  return { id: `${workspace_id}|${user_id}|${request.routeOptions.url}|${key}`, fingerprint };
};

const ifMatchOf = (request: FastifyRequest): number => {
  const header = request.headers['if-match'];
  if (header === undefined) throw new CardinalError('precondition_required', 'If-Match is required');
  if (!/^"\d+"$/.test(header)) throw new CardinalError('invalid_request', 'If-Match must be a quoted version');
  return Number(header.slice(1, -1));
};

const json = 'application/json; charset=utf-8';
const send = (reply: FastifyReply, { status, version, body }: Answer) =>
  reply.code(status).header('etag', `"${version}"`).type(json).send(body);

app.setErrorHandler((error, request, reply) => {
  const known = error instanceof CardinalError ? error : new CardinalError('internal', 'Something went wrong');
  if (known.code === 'internal') logger.error({ err: error }, 'a request failed');
  const { code, message, details } = known;
  return reply.code(errorStatus[code]).send({ error: { code, message, request_id: request.id, details } });
});
app.addHook('onRequest', (request, reply, done) => {
  reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
  done();
});

app.get('/readyz', async () => ({}));

const cardId = z.object({ card_id: uuid });
const page = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(50),
  label_id: uuid.optional(),
  cursor: z.string().optional(),
});

await app.register(
  async (api) => {
    api.post('/columns/:column_id/cards', async (request, reply) => {
      const caller = await callerOf(request);
      const { column_id } = parsed(z.object({ column_id: uuid }), request.params);
      const body = parsed(createCardBody, request.body);
      return send(reply, await cards.createCard(pool, caller, column_id, body, commandOf(request, caller)));
    });
    api.patch('/cards/:card_id', async (request, reply) => {
      const caller = await callerOf(request);
      const { card_id } = parsed(cardId, request.params);
      const body = parsed(patchCardBody, request.body);
      return send(reply, await cards.patchCard(pool, caller, card_id, body, ifMatchOf(request)));
    });
    api.post('/cards/:card_id/workstream', async (request, reply) => {
      const caller = await callerOf(request);
      const { card_id } = parsed(cardId, request.params);
      const { workstream_id } = parsed(transferCardBody, request.body);
      const command = commandOf(request, caller);
      return send(reply, await cards.transferCard(pool, caller, card_id, workstream_id, ifMatchOf(request), command));
    });
    api.get('/cards/:card_id', async (request, reply) => {
      const caller = await callerOf(request);
      return send(reply, await cards.getCard(pool, caller, parsed(cardId, request.params).card_id));
    });
    api.get('/cards/by-identifier/:identifier', async (request, reply) => {
      const caller = await callerOf(request);
      const { identifier } = parsed(z.object({ identifier: z.string().max(40) }), request.params);
      return reply.type(json).send(await cards.lookUpCard(pool, caller, identifier));
    });
    api.get('/boards/:board_id/cards', async (request, reply) => {
      const caller = await callerOf(request);
      const { board_id } = parsed(z.object({ board_id: uuid }), request.params);
      return reply.type(json).send(await cards.listCards(pool, caller, board_id, parsed(page, request.query)));
    });
    api.put('/cards/:card_id/dependencies/:depends_on', async (request, reply) => {
      const caller = await callerOf(request);
      const { card_id, depends_on } = parsed(cardId.extend({ depends_on: uuid }), request.params);
      return reply.type(json).send(await cards.putDependency(pool, caller, card_id, depends_on));
    });
    api.delete('/cards/:card_id/dependencies/:depends_on', async (request, reply) => {
      const caller = await callerOf(request);
      const { card_id, depends_on } = parsed(cardId.extend({ depends_on: uuid }), request.params);
      await cards.deleteDependency(pool, caller, card_id, depends_on);
      return reply.code(204).send();
    });
  },
  { prefix: '/api/kanban/v1' },
);

await app.listen({ port: config.PORT, host: '127.0.0.1' });
process.once('SIGTERM', () => void app.close().then(() => pool.close()));
