import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** How the token endpoint answers a poll or refresh. */
type Answer = { error: string; error_description?: string } | { access_token: string; refresh_token?: string };
type Form = Record<string, string>;

interface Options {
  hasDeviceFlow?: boolean;
  /** For how long the code of a device is valid, s. */
  expiresIn?: number;
  /** The status with which a revocation is answered (RFC 7009); undefined: there is none. */
  revoked?: number;
}

/**
 * Answers as an issuer that rotates: each refresh token, from `refresh-0` on, counts once, and one that comes again ends
 * the login, as if it were stolen (RFC 9700, section 4.14.2).
 */
export const rotating = (access_token: string) => {
  let used = 0;
  return ({ refresh_token }: Form): Answer => {
    used = refresh_token === `refresh-${used}` ? used + 1 : Number.NaN;
    return Number.isNaN(used) ? { error: 'invalid_grant' } : { access_token, refresh_token: `refresh-${used}` };
  };
};

/**
 * An OpenID Connect issuer over HTTP: discovery, device authorization (RFC 8628), tokens.
 * @param answers of the token endpoint, one after the other
 */
export const startIssuer = async (
  answers: Answer[] | ((form: Form) => Answer),
  { hasDeviceFlow = true, expiresIn = 60, revoked }: Options = {},
) => {
  const asked: { path: string; at: number; form: Form }[] = [];
  const formOf = async (request: IncomingMessage): Promise<Form> =>
    Object.fromEntries(new URLSearchParams(await text(request)));
  const answer = (path: string, form: Form): [number, object] => {
    switch (path) {
      case '/.well-known/openid-configuration':
        return [
          200,
          {
            issuer,
            token_endpoint: `${issuer}/token`,
            ...(hasDeviceFlow && { device_authorization_endpoint: `${issuer}/device` }),
            ...(revoked && { revocation_endpoint: `${issuer}/revoke` }),
          },
        ];
      case '/device': {
        const addresses = { verification_uri: `${issuer}/activate` };
        const codes = { device_code: 'secret-of-the-device', user_code: 'BCDF-GHJK' };
        return [200, { ...codes, ...addresses, expires_in: expiresIn, interval: 1 }];
      }
      case '/token': {
        const given = typeof answers === 'function' ? answers(form) : answers.shift();
        const next = given ?? { error: 'authorization_pending' };
        return 'error' in next ? [400, next] : [200, { token_type: 'Bearer', ...next }];
      }
      case '/revoke':
        return [revoked ?? 404, revoked === 200 ? {} : { error: 'unsupported_token_type' }];
      default:
        return [404, {}];
    }
  };
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    const form = await formOf(request);
    asked.push({ path, at: performance.now(), form });
    const [status, body] = answer(path, form);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { issuer, asked, tokenRequests: () => asked.filter(({ path }) => path === '/token') };
};
