import { CardinalError } from '@cardinal/contracts';
import underPressurePlugin from '@fastify/under-pressure';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';

class Overloaded extends CardinalError {
  constructor() {
    super('unavailable', 'The service is overloaded');
  }
}

/**
 * Refuses requests with 503 while the event loop lags far behind; the health routes stay outside. Where nothing was
 * measured for a second, as after one long task or at the start on a busy machine, the plugin says `Infinity` for the
 * next one: that is no lag that lasts.
 */
export const underPressure = async (api: FastifyInstance, config: Config): Promise<void> => {
  await api.register(underPressurePlugin, {
    maxEventLoopDelay: config.MAX_EVENT_LOOP_DELAY_MS,
    pressureHandler: async (_request, _reply, _type, delayMs) => {
      if (delayMs !== Number.POSITIVE_INFINITY) throw new Overloaded();
    },
  });
};
