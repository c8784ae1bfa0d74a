import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import { createFile, makePrivateFolder, readIfThere, replaceFile } from './files.ts';

/** `iss` of development tokens. */
export const tokenIssuer = 'https://cardinal.localhost';
/** `aud` of development tokens. */
export const tokenAudience = 'cardinal';

/** What a development token says: issued `age` seconds ago, it expires `expiresIn` seconds after that. */
export interface TokenRequest {
  workspace: string;
  user: string;
  scope: string;
  age?: number;
  expiresIn?: number;
  /** Further claims. */
  claims?: Record<string, unknown>;
}

// The first process creates the key; a second one uses it.
const privateKey = async (file: string): Promise<JWK> => {
  if (!existsSync(file)) {
    const { privateKey: key } = await generateKeyPair('EdDSA', { extractable: true });
    createFile(file, JSON.stringify({ ...(await exportJWK(key)), kid: `local-${Date.now()}`, alg: 'EdDSA' }), 0o600);
  }
  return JSON.parse(readFileSync(file, 'utf8')) as JWK;
};

/**
 * The development key pair in `dir`, made on first use: what signs, and the file that the gateway verifies with. Production
 * never trusts it.
 * @param names `iss` and `aud` of the tokens that it signs
 */
export const ensureKeys = async (
  dir: string,
  { issuer = tokenIssuer, audience = tokenAudience }: { issuer?: string; audience?: string } = {},
) => {
  makePrivateFolder(dir);
  const jwk = await privateKey(join(dir, 'private.jwk.json'));
  const { d: _secret, ...publicPart } = jwk;
  const jwksPath = join(dir, 'jwks.json');
  const jwks = JSON.stringify({ keys: [{ ...publicPart, use: 'sig' }] }, null, 2);
  if (readIfThere(jwksPath) !== jwks) replaceFile(jwksPath, jwks);
  const key = await importJWK(jwk, 'EdDSA');
  const sign = ({ workspace, user, scope, age = 0, expiresIn = 3600, claims }: TokenRequest): Promise<string> => {
    const issuedAt = Math.floor(Date.now() / 1000) - age;
    return new SignJWT({ ...claims, workspace_id: workspace, scope })
      .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT', ...(jwk.kid ? { kid: jwk.kid } : {}) })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(user)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + expiresIn)
      .sign(key);
  };
  return { jwksPath, sign };
};
