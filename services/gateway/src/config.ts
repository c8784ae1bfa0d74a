import { busUrl, loadConfig } from '@cardinal/runtime';
import { z } from 'zod';

const milliseconds = z.coerce.number().int().min(1);

/** What the gateway reads from its environment. */
export const configSchema = z
  .object({
    PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
    HOST: z.string().default('127.0.0.1'),
    NATS_URL: busUrl,
    LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    /** Where the keys that sign tokens are published: one of the two. */
    JWKS_URL: z.url({ protocol: /^https?$/ }).optional(),
    JWKS_FILE: z.string().optional(),
    TOKEN_ISSUER: z.string(),
    TOKEN_AUDIENCE: z.string(),
    /** Seconds by which the clocks of this machine and of the issuer may differ. */
    TOKEN_CLOCK_TOLERANCE_S: z.coerce.number().min(0).max(60).default(1),
    /** Seconds that a token may be good for at most. */
    TOKEN_MAX_LIFETIME_S: z.coerce.number().int().min(1).default(86_400),
    /** How long a withdrawn key may still be trusted. */
    KEYS_MAX_AGE_MS: milliseconds.max(60_000).default(60_000),
    /** What a request may take, once it has arrived, before it is `unavailable`. */
    REQUEST_TIMEOUT_MS: milliseconds.default(5_000),
    /** Requests of one token's user in one window. */
    RATE_LIMIT_MAX: z.coerce.number().int().min(1).default(2_000),
    RATE_LIMIT_WINDOW_MS: milliseconds.default(10_000),
    /** Mean delay of the event loop above which requests are refused with 503. */
    MAX_EVENT_LOOP_DELAY_MS: milliseconds.default(2_000),
    OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional(),
  })
  .refine((env) => (env.JWKS_URL === undefined) !== (env.JWKS_FILE === undefined), {
    path: ['JWKS_URL'],
    message: 'exactly one of JWKS_URL and JWKS_FILE must be set',
    // Also where other variables are wrong, so that all problems come at once.
    when: () => true,
  });
export type Config = z.infer<typeof configSchema>;

/** The gateway's configuration from its environment; exits 1 where that is wrong. */
export const readConfig = (): Config => loadConfig(configSchema, process.env);
