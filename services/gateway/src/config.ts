import { isIP } from 'node:net';
import { type Scope, scopes } from '@cardinal/contracts';
import { busCa, busUrl } from '@cardinal/runtime';
import { z } from 'zod';

const port = z.coerce.number().int().min(0).max(65_535);
const count = z.coerce.number().int().min(1);
const milliseconds = count;

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

/** A JSON object that maps the values of a claim to scopes. */
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
  // The schema of the variable reports a missing one.
  issuer === undefined || (/^https?:[^?#]+$/.test(issuer) && URL.canParse(issuer));

/** What the gateway reads from its environment. */
export const configSchema = z
  .object({
    PORT: port.default(8080).describe('Port of the API; 0 takes any free one.'),
    HOST: z.string().default('127.0.0.1').describe('Address to listen at; `0.0.0.0` is every address of the machine.'),
    METRICS_PORT: port
      .default(0)
      .describe('Port of `/metrics`, which is for nobody outside; 0 takes any free one and logs it.'),
    METRICS_HOST: z.string().default('127.0.0.1').describe('Address at which that port listens.'),
    NATS_URL: busUrl.describe(
      'The broker, as the user `gateway`; several servers with commas between them, `tls://` for TLS.',
    ),
    NATS_CA: busCa,
    LOG_LEVEL: z
      .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
      .default('info')
      .describe('The least that is logged; requests that succeed are `debug`.'),
    OPERATOR_KEY: z
      .string()
      .min(32, 'must have 32 characters or more; make one: openssl rand -base64 32')
      .regex(/^[A-Za-z0-9\-._~+/]+=*$/, 'has characters that no bearer token can have (RFC 6750, section 2.1)')
      .optional()
      .describe(
        'Opens `POST /operator/api-keys`, which creates the first API key of a workspace: 32 characters or more.',
      ),
    TOKEN_ISSUER: z
      .string()
      .optional()
      .describe(
        '`iss` of tokens, to the letter; its discovery document says where its keys are. Without it, API keys alone.',
      ),
    JWKS_URL: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('Where the keys that sign tokens are published, for an issuer without a discovery document.'),
    JWKS_FILE: z.string().optional().describe('The same as a file, which may be replaced at any time.'),
    TOKEN_AUDIENCE: z
      .string()
      .default('cardinal')
      .transform(list)
      .refine(notEmpty, 'must name an audience')
      .describe('`aud` of tokens; of several, with commas between them, a token must have one.'),
    TOKEN_WORKSPACE_CLAIM: z
      .string()
      .default('workspace_id')
      .describe('Path of the claim that names the workspace; dots lead into objects.'),
    TOKEN_USER_CLAIM: z.string().default('sub').describe('Path of the claim that names the user.'),
    TOKEN_NAME_CLAIM: z.string().default('name').describe('Path of the claim with the name that people read.'),
    TOKEN_EMAIL_CLAIM: z.string().default('email').describe('Path of the claim with the e-mail address.'),
    TOKEN_SCOPE_CLAIMS: z
      .string()
      .default('scope')
      .transform(list)
      .refine(notEmpty, 'must name a claim')
      .describe('Paths of claims, with commas between them, whose words are scopes; texts or lists.'),
    TOKEN_SCOPE_MAP: scopeMap.describe('JSON object: the scopes that other words stand for, such as groups.'),
    TOKEN_IDS: z
      .enum(['uuid', 'any'], 'must be uuid or any')
      .default('uuid')
      .describe('`any` takes workspaces and users that are no UUID, and makes one of each.'),
    TOKEN_CLOCK_TOLERANCE_S: z.coerce
      .number()
      .min(0)
      .max(60)
      .default(1)
      .describe('By how much the clocks of this machine and of the issuer may differ.'),
    TOKEN_MAX_LIFETIME_S: count
      .default(86_400)
      .describe('How long a token may be good for; one that is good for longer is refused.'),
    KEYS_MAX_AGE_MS: milliseconds
      .max(60_000)
      .default(60_000)
      .describe('How long tokens of a withdrawn key may still be taken.'),
    REQUEST_TIMEOUT_MS: milliseconds
      .default(5_000)
      .describe('What a request may take, once it has arrived, before it is `unavailable`.'),
    RATE_LIMIT_MAX: count
      .default(2_000)
      .describe('Requests of one user of a workspace in one window; each begun 64 KiB of an answer counts as one.'),
    WORKSPACE_LIMIT_MAX: count
      .optional()
      .describe('The same of all users of a workspace; ten times `RATE_LIMIT_MAX` where it is left out.'),
    ADDRESS_LIMIT_MAX: count
      .default(1_000)
      .describe(
        'Requests without a valid token from one address (IPv6: network of 64 bits) in one window, documents included; no valid token is refused for it.',
      ),
    RATE_LIMIT_WINDOW_MS: milliseconds.default(10_000).describe('The window in which all three are counted.'),
    MAX_EVENT_LOOP_DELAY_MS: milliseconds
      .default(2_000)
      .describe('Mean delay of the event loop above which requests are refused with 503.'),
    BYTES_UNDER_WAY: count
      .default(64 * 1024 * 1024)
      .describe(
        'Bytes of bodies and answers under way; further requests wait. A user of a workspace may have 1/64 of it, all users of a workspace 5/256.',
      ),
    WAITING: count
      .default(4_096)
      .describe(
        'Requests that may wait for it; above it 503. Of a user of a workspace 1/16 of them may, of all users of a workspace 1/4; above it 429.',
      ),
    ANSWER_IDLE_MS: milliseconds
      .default(10_000)
      .describe('How long a client may take nothing of its answer before it is closed.'),
    ANSWER_TIMEOUT_MS: milliseconds.default(60_000).describe('How long a client may take over a whole answer.'),
    STREAMS_PER_USER: count
      .default(20)
      .describe('Streams of events that one user of a workspace may have open; above it 429.'),
    STREAMS: count.default(10_000).describe('The same of all users.'),
    STREAM_WAITING_BYTES: count
      .default(1024 * 1024)
      .describe('Bytes that may wait for the client of a stream; where more would, its connection is cut.'),
    CORS_ORIGINS: listOf(isOrigin, 'must be origins like https://app.example.com').describe(
      'Origins, with commas between them, whose pages may use the API from a browser.',
    ),
    MCP: z
      .stringbool()
      .default(true)
      .describe('Whether assistants reach the API at `/mcp`, each with the token of its user.'),
    TRUST_PROXY: listOf(
      isNetwork,
      'must be addresses or networks like 10.0.0.0/8, or loopback or uniquelocal',
    ).describe(
      'Proxies whose `X-Forwarded-For` counts: addresses, networks, `loopback`, `uniquelocal`; without it all clients of a proxy share one address.',
    ),
    CHECK_REPLIES: z
      .stringbool()
      .default(false)
      .describe('For development and tests: 500 for a reply of a service that breaks its contract.'),
    OTEL_EXPORTER_OTLP_ENDPOINT: z
      .url()
      .optional()
      .describe('Where traces go, OTLP over HTTP; without it tracing costs nothing.'),
  })
  // `when`: runs where other variables are wrong too, so all problems are reported at once.
  .refine((env) => env.JWKS_URL === undefined || env.JWKS_FILE === undefined, {
    path: ['JWKS_URL'],
    message: 'is set beside JWKS_FILE; leave one of them out',
    when: () => true,
  })
  .refine(({ TOKEN_ISSUER, OPERATOR_KEY }) => TOKEN_ISSUER ?? OPERATOR_KEY, {
    path: ['TOKEN_ISSUER'],
    message:
      'is missing: what the issuer writes into "iss" of its tokens. Without an issuer, set OPERATOR_KEY and use API keys',
    when: () => true,
  })
  .refine(({ JWKS_URL, JWKS_FILE, TOKEN_ISSUER }) => JWKS_URL ?? JWKS_FILE ?? isDiscoverable(TOKEN_ISSUER), {
    path: ['TOKEN_ISSUER'],
    message: 'is no URL under which its keys could be found; it must be one, or JWKS_URL or JWKS_FILE must be set',
    when: () => true,
  });
export type Config = z.infer<typeof configSchema>;
