import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureKeys, type TokenRequest, tokenAudience, tokenIssuer } from '@cardinal/servers';
import { generateKeyPair, importJWK, SignJWT, UnsecuredJWT } from 'jose';
import { v7 } from 'uuid';

/** What a token shall say; a new workspace, a new user, every scope and an hour where left out. */
export type TokenOptions = Partial<TokenRequest>;

const everyScope = 'kanban:read kanban:write kanban:admin';

const complete = (options: TokenOptions): TokenRequest => ({
  workspace: v7(),
  user: v7(),
  scope: everyScope,
  ...options,
});

/** A token that the gateways of the stack accept. */
export const mintToken = async (keys: string, options: TokenOptions = {}): Promise<string> =>
  (await ensureKeys(keys)).sign(complete(options));

/** Tokens that no gateway may accept, each with one fault. */
export type WrongTokens = Awaited<ReturnType<typeof mintWrongTokens>>;

/** Makes one of each wrong kind. */
export const mintWrongTokens = async (keys: string, options: TokenOptions = {}) => {
  const { sign, jwksPath } = await ensureKeys(keys);
  const request = complete(options);
  const jwk = JSON.parse(readFileSync(join(keys, 'private.jwk.json'), 'utf8'));
  const key = await importJWK(jwk, 'EdDSA');
  const header = { alg: 'EdDSA', kid: jwk.kid as string };
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    workspace_id: request.workspace,
    scope: request.scope,
    sub: request.user,
    iss: tokenIssuer,
    aud: tokenAudience,
    iat: now,
    exp: now + 3600,
  };
  const signed = (changes: Record<string, unknown>, by: Parameters<SignJWT['sign']>[0] = key) =>
    new SignJWT({ ...claims, ...changes }).setProtectedHeader(header).sign(by);
  const other = await generateKeyPair('EdDSA');
  const right = await sign(request);
  const [head, , signature] = right.split('.');
  const foreign = Buffer.from(JSON.stringify({ ...claims, workspace_id: v7() })).toString('base64url');
  return {
    expired: await signed({ iat: now - 7200, exp: now - 3600 }),
    algNone: new UnsecuredJWT(claims).encode(),
    wrongAudience: await signed({ aud: 'another-service' }),
    wrongIssuer: await signed({ iss: 'https://issuer.example' }),
    /** Signed by a key that is not the stack's, under the stack's key id. */
    otherKey: await signed({}, other.privateKey),
    noExpiry: await signed({ exp: undefined }),
    noWorkspace: await signed({ workspace_id: undefined }),
    workspaceNoUuid: await signed({ workspace_id: 'acme' }),
    /** The public key used as an HMAC secret. */
    publicKeyAsSecret: await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: header.kid })
      .sign(readFileSync(jwksPath)),
    /** A right token whose payload was changed after it was signed. */
    tampered: `${head}.${foreign}.${signature}`,
  };
};
