import { isIP } from 'node:net';
import { busUrl, loadConfig } from '@cardinal/runtime';
import { z } from 'zod';
import { type Scope, scopes } from './tokens/principal.ts';

const milliseconds = z.coerce.number().int().min(1);

const isOrigin = (text: string) => !text.includes('*') && URL.canParse(text) && new URL(text).origin === text;

/** An address, a network in CIDR, or a name that Fastify's `trustProxy` knows for some. */
const isNetwork = (text: string) => {
  const [address = '', bits] = text.split('/');
  const most = isIP(address) === 4 ? 32 : 128;
  if (isIP(address) === 0) return ['loopback', 'linklocal', 'uniquelocal'].includes(text);
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= most);
};

/** Texts separated by commas. */
const list = (text: string) =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);
const notEmpty = (texts: string[]) => texts.length > 0;

/** Texts separated by commas, each of which passes a check. */
const listOf = (check: (text: string) => boolean, message: string) =>
  z
    .string()
    .default('')
    .transform(list)
    .refine((texts) => texts.every(check), message);

const scopeByWord = z.record(z.string(), z.enum(scopes));
const scopeMapForm = `must be a JSON object of words and ${scopes.join(', ')}, like {"cardinal-admins": "kanban:admin"}`;

/** A JSON object of words that tokens have and the scopes that they stand for. */
const scopeMap = z
  .string()
  .default('{}')
  .transform((text, context): ReadonlyMap<string, Scope> => {
    try {
      return new Map(Object.entries(scopeByWord.parse(JSON.parse(text))));
    } catch {
      context.addIssue({ code: 'custom', message: scopeMapForm });
      return z.NEVER;
    }
  });

/** An issuer whose discovery document can be asked for (OpenID Connect Discovery 1.0, 4.1). */
const isDiscoverable = (issuer: string | undefined) =>
  // A missing one is told by its own rule.
  issuer === undefined || (/^https?:[^?#]+$/.test(issuer) && URL.canParse(issuer));

/** What the gateway reads from its environment. */
export const configSchema = z
  .object({
    PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
    HOST: z.string().default('127.0.0.1'),
    /** Where `/metrics` is, which is for nobody outside; 0 takes any free port. */
    METRICS_PORT: z.coerce.number().int().min(0).max(65_535).default(0),
    METRICS_HOST: z.string().default('127.0.0.1'),
    NATS_URL: busUrl,
    LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    /** Where the keys that sign tokens are published; as the issuer says where both are left out. */
    JWKS_URL: z.url({ protocol: /^https?$/ }).optional(),
    JWKS_FILE: z.string().optional(),
    /** `iss` of tokens, to the letter. */
    TOKEN_ISSUER: z.string('is missing; it must be what the issuer writes into "iss" of its tokens'),
    /** `aud` of tokens, or several with commas between them, one of which a token must have. */
    TOKEN_AUDIENCE: z
      .string('is missing; it must be what the issuer writes into "aud" of the tokens for this API')
      .transform(list)
      .refine(notEmpty, 'must name an audience'),
    /** Paths of claims; dots lead into objects. */
    TOKEN_WORKSPACE_CLAIM: z.string().default('workspace_id'),
    TOKEN_USER_CLAIM: z.string().default('sub'),
    /** Claims, with commas between them, whose words are scopes: texts or lists. */
    TOKEN_SCOPE_CLAIMS: z.string().default('scope').transform(list).refine(notEmpty, 'must name a claim'),
    /** Which scope a word stands for that is none itself, such as a group's name. */
    TOKEN_SCOPE_MAP: scopeMap,
    /** `any` takes workspaces and users that are no UUID, and makes one of each. */
    TOKEN_IDS: z.enum(['uuid', 'any'], 'must be uuid or any').default('uuid'),
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
  // Also where other variables are wrong, so that all problems come at once.
  .refine((env) => env.JWKS_URL === undefined || env.JWKS_FILE === undefined, {
    path: ['JWKS_URL'],
    message: 'is set beside JWKS_FILE; leave one of them out',
    when: () => true,
  })
  .refine(({ JWKS_URL, JWKS_FILE, TOKEN_ISSUER }) => JWKS_URL ?? JWKS_FILE ?? isDiscoverable(TOKEN_ISSUER), {
    path: ['TOKEN_ISSUER'],
    message: 'is no URL that could tell where its keys are; it must be one, or JWKS_URL or JWKS_FILE must be set',
    when: () => true,
  });
export type Config = z.infer<typeof configSchema>;

/** The gateway's configuration from its environment; exits 1 where that is wrong. */
export const readConfig = (): Config => loadConfig(configSchema, process.env);
