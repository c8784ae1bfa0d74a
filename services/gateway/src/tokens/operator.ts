import { createHash, timingSafeEqual } from 'node:crypto';
import type { Bus } from '@cardinal/bus';
import { createFirstApiKey, notFound, uuid } from '@cardinal/contracts';
import { counter, type Logger } from '@cardinal/runtime';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { v7 } from 'uuid';
import type { z } from 'zod';
import { acceptBody } from '../bodies.ts';
import type { Config } from '../config.ts';
import { inRequest } from '../observability.ts';
import type { AddressLimit } from '../rate-limit.ts';
import { unauthenticated } from './auth.ts';
import { bearerToken } from './bearer.ts';

/** The path of the route, below the API's prefix. */
const operatorPath = '/operator/api-keys';

const made = counter({ name: 'cardinal_operator_api_keys_total', help: 'API keys that the operator key created' });

const body = createFirstApiKey.request.shape.body.extend({
  workspace_id: uuid.optional(),
  user_id: uuid.optional(),
});
type Body = z.output<typeof body>;

const digestOf = (text: string) => createHash('sha256').update(text).digest();

/**
 * Serves the creation of the first API key of a workspace (CONTRACT 13.4), for the holder of OPERATOR_KEY. Without one, the
 * path is unknown. A new workspace and a new user are made where the body names none.
 */
export const operatorKeys = (
  api: FastifyInstance,
  {
    config,
    bus,
    logger,
    addresses,
  }: { config: Config; bus: Pick<Bus, 'call'>; logger: Logger; addresses: AddressLimit },
): void => {
  const { OPERATOR_KEY: key } = config;
  const expected = key === undefined ? undefined : digestOf(key);

  const authorize = async (request: FastifyRequest): Promise<void> => {
    if (!expected) throw notFound('Path');
    const given = bearerToken(request.raw);
    if (given !== undefined && timingSafeEqual(digestOf(given), expected)) return;
    await addresses.check(request);
    throw unauthenticated('The operator key is missing or wrong');
  };

  const operation = { id: 'createFirstApiKey', maxMembers: 10, reply: { kind: 'data' as const } };
  const options = { schema: { body }, config: { operation }, onRequest: [authorize, acceptBody] };
  api.post<{ Body: Body }>(operatorPath, options, (request, reply) =>
    inRequest(request, async () => {
      const { workspace_id = v7(), user_id = v7(), ...given } = request.body;
      const data = await bus.call(createFirstApiKey, { workspace_id, user_id, body: given });
      made().inc();
      const { key: _, ...shown } = data;
      logger.warn({ workspace_id, api_key: shown }, 'the operator key created an API key');
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send({ data: { ...data, workspace_id } });
    }),
  );
};
