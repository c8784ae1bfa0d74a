import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JWTPayload } from 'jose';
import { type SigningKey, signingKey } from './keys.ts';

/** The behaviour of an issuer; a test may change it while it runs. */
interface Conduct {
  /** The first one signs; all of them are published. */
  keys: SigningKey[];
  /** Changes to the discovery document. */
  document: Record<string, unknown>;
  /** Status of the discovery document and of the keys. */
  status: { document: number; keys: number };
  /** Where the keys are. */
  keysPath: string;
}

const clientId = 'a-machine';
const clientSecret = 'which only it knows';

/**
 * A small OpenID Connect issuer over HTTP: its discovery document, its keys, and tokens for a machine (client
 * credentials, RFC 6749 4.4).
 * @param path what its URL ends with, `/` with some
 */
export const startIssuer = async (path = '') => {
  const conduct: Conduct = {
    keys: [await signingKey('RS256')],
    document: {},
    status: { document: 200, keys: 200 },
    keysPath: '/keys',
  };
  const asked: string[] = [];
  let claims: JWTPayload = {};
  const basic = `Basic ${Buffer.from(`${clientId}:${encodeURIComponent(clientSecret)}`).toString('base64')}`;
  const base = path.replace(/\/$/, '');

  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '', url);
    asked.push(pathname);
    const answer = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    if (pathname === `${base}/.well-known/openid-configuration`) {
      const own = { issuer: url, jwks_uri: `${origin}${conduct.keysPath}`, token_endpoint: `${origin}/token` };
      answer(conduct.status.document, { ...own, ...conduct.document });
    } else if (pathname === conduct.keysPath) {
      answer(conduct.status.keys, { keys: conduct.keys.map(({ jwk }) => jwk) });
    } else if (pathname === '/token' && request.headers.authorization === basic) {
      const now = Math.floor(Date.now() / 1000);
      const payload = { iss: url, iat: now, exp: now + 300, ...claims };
      answer(200, { access_token: await conduct.keys[0]?.signClaims(payload), token_type: 'Bearer' });
    } else {
      answer(404, {});
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const url = `${origin}${path}`;

  return {
    url,
    conduct,
    /** How often a path was asked for. */
    asked: (wanted: string) => asked.filter((one) => one === wanted).length,
    /** A token with these claims, as the machine gets it. */
    async token(wanted: Record<string, unknown>): Promise<string> {
      claims = wanted;
      const body = new URLSearchParams({ grant_type: 'client_credentials' });
      const response = await fetch(`${origin}/token`, { method: 'POST', headers: { authorization: basic }, body });
      return ((await response.json()) as { access_token: string }).access_token;
    },
    /** Stops listening. */
    stop: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
};
