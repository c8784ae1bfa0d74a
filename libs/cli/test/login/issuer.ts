import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** How the token endpoint answers each poll or refresh, in turn. */
export type Answer = { error: string; error_description?: string } | { access_token: string; refresh_token?: string };

/** An OpenID Connect issuer over HTTP: discovery, device authorization (RFC 8628), tokens. */
export const startIssuer = async (answers: Answer[], { hasDeviceFlow = true, expiresIn = 60 } = {}) => {
  const asked: { path: string; at: number; form: Record<string, string> }[] = [];
  const formOf = async (request: IncomingMessage) => Object.fromEntries(new URLSearchParams(await text(request)));
  const answer = (path: string): [number, object] => {
    switch (path) {
      case '/.well-known/openid-configuration':
        return [
          200,
          {
            ...{ issuer, token_endpoint: `${issuer}/token` },
            ...(hasDeviceFlow && { device_authorization_endpoint: `${issuer}/device` }),
          },
        ];
      case '/device': {
        const addresses = { verification_uri: `${issuer}/activate` };
        const codes = { device_code: 'secret-of-the-device', user_code: 'BCDF-GHJK' };
        return [200, { ...codes, ...addresses, expires_in: expiresIn, interval: 1 }];
      }
      case '/token': {
        const next = answers.shift() ?? { error: 'authorization_pending' };
        return 'error' in next ? [400, next] : [200, { token_type: 'Bearer', ...next }];
      }
      default:
        return [404, {}];
    }
  };
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    asked.push({ path, at: performance.now(), form: await formOf(request) });
    const [status, body] = answer(path);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { issuer, asked, tokenRequests: () => asked.filter(({ path }) => path === '/token') };
};
