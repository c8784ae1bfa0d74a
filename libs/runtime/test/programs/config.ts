import { z } from 'zod';
import { loadConfig } from '../../src/index.ts';

const config = loadConfig(
  z.object({
    PORT: z.coerce.number().int(),
    NATS_URL: z.url().describe('Where the broker is.'),
    LOG_LEVEL: z.string().default('info'),
  }),
  process.env,
);
process.stdout.write(JSON.stringify(config));
