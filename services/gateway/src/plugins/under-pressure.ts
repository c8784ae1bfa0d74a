import { CardinalError } from '@cardinal/contracts';
import underPressurePlugin from '@fastify/under-pressure';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import { retryAfterSeconds } from '../http/error-body.ts';

class Overloaded extends CardinalError {
  constructor() {
    super('unavailable', 'The service is overloaded');
  }
}

/** Refuses requests with 503 while the event loop lags far behind; the health routes stay outside. */
export const underPressure = async (api: FastifyInstance, config: Config): Promise<void> => {
  await api.register(underPressurePlugin, {
    maxEventLoopDelay: config.MAX_EVENT_LOOP_DELAY_MS,
    retryAfter: Number(retryAfterSeconds),
    customError: Overloaded,
  });
};
