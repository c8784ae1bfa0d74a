import { pathToFileURL } from 'node:url';
import { tokenAudience, tokenIssuer } from '../keys.ts';

/** The configuration of a service with a database: what its `src/config.ts` reads. */
export const serviceEnvironment = (urls: { databaseUrl: string; natsUrl: string }): Record<string, string> => ({
  DATABASE_URL: urls.databaseUrl,
  NATS_URL: urls.natsUrl,
});

/** What the attachment service needs beyond that: a folder for the files, a port for transfers, a key that signs. */
export const filesEnvironment = (options: {
  folder: string;
  port: number;
  secret: string;
}): Record<string, string> => ({
  STORAGE_URL: pathToFileURL(options.folder).href,
  FILES_PORT: String(options.port),
  URL_SECRET: options.secret,
});

/** The configuration of a gateway that trusts the development key. */
export const gatewayEnvironment = (options: { natsUrl: string; jwks: string }): Record<string, string> => ({
  NATS_URL: options.natsUrl,
  JWKS_FILE: options.jwks,
  TOKEN_ISSUER: tokenIssuer,
  TOKEN_AUDIENCE: tokenAudience,
});
