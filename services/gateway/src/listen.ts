import type { AddressInfo } from 'node:net';
import type { Logger } from '@cardinal/runtime';
import type { FastifyInstance } from 'fastify';
import type { Config } from './config.ts';

/** Starts to listen and says where. */
export const listen = async (app: FastifyInstance, config: Config, logger: Logger): Promise<void> => {
  await app.listen({ port: config.PORT, host: config.HOST });
  logger.info({ port: (app.server.address() as AddressInfo).port }, 'listening');
};
