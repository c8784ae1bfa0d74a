import { purgeCommands } from '@cardinal/db';
import type { Service } from '@cardinal/service';
import type { Config } from './config.ts';
import type { Tables } from './context.ts';

/** The service: it answers nothing yet. */
export const service: Service<Config, Tables> = (_connections, config) => ({
  retention: [{ purge: purgeCommands, hours: config.RETENTION_HOURS }],
});
