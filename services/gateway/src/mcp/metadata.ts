import { scopes } from '@cardinal/contracts';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import { originOf } from '../origin.ts';

/** RFC 9728, 3.1: the path of the resource follows. */
const metadataPath = '/.well-known/oauth-protected-resource';

type IssuerConfig = Pick<Config, 'TOKEN_ISSUER' | 'TOKEN_SCOPE_MAP'>;

/** Whether clients can be sent to the issuer: it is a URL, and not below `localhost`, as that of development is (RFC 6761, 6.3). */
const isReachable = (issuer: string | undefined): issuer is string =>
  issuer !== undefined &&
  URL.canParse(issuer) &&
  /^https?:/.test(issuer) &&
  !new URL(issuer).hostname.endsWith('.localhost');

/**
 * Serves the issuer of the tools' tokens (RFC 9728), so that an assistant can sign its user in. Where clients cannot reach
 * the issuer, it serves nothing.
 * @param path of the tools
 */
export const protectedResource = (
  app: FastifyInstance,
  { TOKEN_ISSUER: issuer, TOKEN_SCOPE_MAP: map }: IssuerConfig,
  path: string,
): void => {
  if (!isReachable(issuer)) return;
  for (const resource of ['', path]) {
    app.get(metadataPath + resource, (request, reply) => {
      reply.header('access-control-allow-origin', '*').header('cache-control', 'max-age=300');
      return {
        resource: `${originOf(request) ?? ''}${resource}`,
        resource_name: 'Cardinal',
        authorization_servers: [issuer],
        bearer_methods_supported: ['header'],
        // An issuer with other words for scopes does not know these.
        ...(map.size === 0 ? { scopes_supported: scopes } : {}),
      };
    });
  }
};

/** Names that document to clients without a valid token (RFC 9728, 5.1). */
export const nameMetadata = (scope: FastifyInstance, { TOKEN_ISSUER }: IssuerConfig, path: string): void => {
  if (!isReachable(TOKEN_ISSUER)) return;
  scope.addHook('onSend', (request, reply, payload, done) => {
    const origin = originOf(request);
    const challenge = String(reply.getHeader('www-authenticate') ?? '');
    if (reply.statusCode === 401 && origin !== undefined) {
      const separator = challenge.includes('=') ? ', ' : ' ';
      reply.header('www-authenticate', `${challenge}${separator}resource_metadata="${origin}${metadataPath}${path}"`);
    }
    done(null, payload);
  });
};
