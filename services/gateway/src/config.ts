import { isIP } from 'node:net';
import { busUrl, loadConfig } from '@cardinal/runtime';
import { z } from 'zod';

const milliseconds = z.coerce.number().int().min(1);

const isOrigin = (text: string) => !text.includes('*') && URL.canParse(text) && new URL(text).origin === text;

/** An address, a network in CIDR, or a name that Fastify's `trustProxy` knows for some. */
const isNetwork = (text: string) => {
  const [address = '', bits] = text.split('/');
  const most = isIP(address) === 4 ? 32 : 128;
  if (isIP(address) === 0) return ['loopback', 'linklocal', 'uniquelocal'].includes(text);
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= most);
};

/** Texts separated by commas, each of which passes a check. */
const listOf = (check: (text: string) => boolean, message: string) =>
  z
    .string()
    .default('')
    .transform((text) =>
      text
        .split(',')
        .map((one) => one.trim())
        .filter(Boolean),
    )
    .refine((texts) => texts.every(check), message);

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
    /** Requests of one user of a workspace in one window; each begun 64 KiB of an answer counts as one. */
    RATE_LIMIT_MAX: z.coerce.number().int().min(1).default(2_000),
    /** Requests without a valid token from one address (IPv6: network of 64 bits) in one window. */
    ADDRESS_LIMIT_MAX: z.coerce.number().int().min(1).default(1_000),
    RATE_LIMIT_WINDOW_MS: milliseconds.default(10_000),
    /** Mean delay of the event loop above which requests are refused with 503. */
    MAX_EVENT_LOOP_DELAY_MS: milliseconds.default(2_000),
    /** Bytes of bodies and answers under way, of one user of a workspace and in all; further requests wait. */
    BYTES_UNDER_WAY_PER_USER: z.coerce
      .number()
      .int()
      .min(1)
      .default(1024 * 1024),
    BYTES_UNDER_WAY: z.coerce
      .number()
      .int()
      .min(1)
      .default(64 * 1024 * 1024),
    /** Requests that may wait for that, of one user of a workspace and in all. */
    WAITING_PER_USER: z.coerce.number().int().min(1).default(256),
    WAITING: z.coerce.number().int().min(1).default(4_096),
    /** How long a client may take nothing of its answer, and how long it may take over the whole. */
    ANSWER_IDLE_MS: milliseconds.default(10_000),
    ANSWER_TIMEOUT_MS: milliseconds.default(60_000),
    /** Origins whose pages may use the API from a browser. */
    CORS_ORIGINS: listOf(isOrigin, 'must be origins like https://app.example.com'),
    /** Proxies whose `X-Forwarded-For` counts: their addresses or networks. */
    TRUST_PROXY: listOf(isNetwork, 'must be addresses or networks like 10.0.0.0/8, or loopback or uniquelocal'),
    /** For development and tests: replies of services are held to their contracts before they are passed on. */
    CHECK_REPLIES: z.stringbool().default(false),
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
