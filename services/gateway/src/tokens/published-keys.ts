import { connectionProblem, ServerProblem } from '@cardinal/runtime';
import type { JSONWebKeySet } from 'jose';
import { z } from 'zod';
import type { Config } from '../config.ts';

const keySet = z.looseObject({ keys: z.array(z.looseObject({})) });
const discoveryDocument = z.looseObject({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) });

const wayOut = {
  JWKS_URL: 'it must be where the issuer publishes its keys',
  TOKEN_ISSUER: 'it must be the URL of an OpenID Connect issuer, or JWKS_URL must say where its keys are',
};
type Variable = keyof typeof wayOut;

const wrong = (variable: Variable, cause: string) =>
  new ServerProblem('wrong', `${variable}: ${cause}; ${wayOut[variable]}`);

/** A JSON document, and nothing else. Redirects are not followed: an attacker who can redirect us could supply keys. */
const read = async <Schema extends z.ZodType>(
  { url, schema, what, variable }: { url: string; schema: Schema; what: string; variable: Variable },
  signal: AbortSignal,
): Promise<z.output<Schema>> => {
  const { host } = new URL(url);
  try {
    const response = await fetch(url, { signal, redirect: 'manual', headers: { accept: 'application/json' } });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw wrong(variable, `${url} answers ${response.status}`);
    }
    return schema.parse(await response.json());
  } catch (error) {
    if (error instanceof ServerProblem) throw error;
    // undici gives the reason in the cause: no connection, or a certificate that is not trusted.
    const { code, message } = ((error as Error).cause ?? error) as Error & { code?: string };
    const reason = error instanceof z.ZodError ? 'not what it must be' : message;
    throw connectionProblem(variable, host, code) ?? wrong(variable, `${host} gives no ${what} (${reason})`);
  }
};

/** Where an issuer publishes its keys (OpenID Connect Discovery 1.0, 4), in a document of its own (4.3). */
const discover = async (issuer: string, signal: AbortSignal): Promise<string> => {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const request = { url, schema: discoveryDocument, what: 'discovery document', variable: 'TOKEN_ISSUER' } as const;
  const { issuer: named, jwks_uri } = await read(request, signal);
  if (named !== issuer) {
    const cause = `the issuer calls itself ${JSON.stringify(named)}, which is not the same to the letter`;
    throw wrong('TOKEN_ISSUER', cause);
  }
  if (issuer.startsWith('https:') && !jwks_uri.startsWith('https:')) {
    throw wrong('TOKEN_ISSUER', 'the issuer has its keys come over http');
  }
  return jwks_uri;
};

/**
 * Reads the keys at each call, at a URL or where the issuer's discovery document says.
 * @throws from the reader: ServerProblem whose line names the variable, the cause and the way out
 */
export const publishedKeys =
  ({ JWKS_URL, TOKEN_ISSUER }: Pick<Config, 'JWKS_URL'> & { TOKEN_ISSUER: string }) =>
  async (signal: AbortSignal): Promise<JSONWebKeySet> => {
    const variable = JWKS_URL === undefined ? 'TOKEN_ISSUER' : 'JWKS_URL';
    const url = JWKS_URL ?? (await discover(TOKEN_ISSUER, signal));
    return read({ url, schema: keySet, what: 'keys', variable }, signal);
  };
