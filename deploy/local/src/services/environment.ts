import { tokenAudience, tokenIssuer } from '../keys.ts';

/** The configuration of a service with a database: what its `src/config.ts` reads. */
export const serviceEnvironment = (urls: { databaseUrl: string; natsUrl: string }): Record<string, string> => ({
  DATABASE_URL: urls.databaseUrl,
  NATS_URL: urls.natsUrl,
});

/** The configuration of a gateway that trusts the development key. */
export const gatewayEnvironment = (options: { natsUrl: string; jwks: string }): Record<string, string> => ({
  NATS_URL: options.natsUrl,
  JWKS_FILE: options.jwks,
  TOKEN_ISSUER: tokenIssuer,
  TOKEN_AUDIENCE: tokenAudience,
});
