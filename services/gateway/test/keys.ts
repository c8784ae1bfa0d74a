import { writeFileSync } from 'node:fs';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { v7 } from 'uuid';

export const issuer = 'https://issuer.test';
export const audience = 'cardinal-test';

export interface Claims {
  workspace?: unknown;
  user?: unknown;
  scope?: unknown;
  issuer?: string;
  audience?: string;
  /** Seconds from now; null leaves `exp` out. */
  expiresIn?: number | null;
  /** Seconds since it was issued; no `iat` where left out. */
  age?: number;
}

export interface SigningKey {
  jwk: JWK;
  /** Signs a token that is valid except for the given claims; `kid` null leaves it out of the header. */
  sign(claims?: Claims, header?: { alg?: string; kid?: string | null; typ?: unknown }): Promise<string>;
  /** Signs these claims and no others. */
  signClaims(claims: JWTPayload): Promise<string>;
}

/** A new key pair of an algorithm. */
export const signingKey = async (alg: 'EdDSA' | 'ES256' | 'RS256' | 'PS256', kid = v7()): Promise<SigningKey> => {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return {
    jwk: { ...(await exportJWK(publicKey)), kid },
    signClaims: (claims) => new SignJWT(claims).setProtectedHeader({ alg, kid, typ: 'at+jwt' }).sign(privateKey),
    sign(claims = {}, header = {}) {
      const { workspace = v7(), user = v7(), scope = 'kanban:admin', expiresIn = 3600 } = claims;
      const now = Math.floor(Date.now() / 1000);
      const payload = {
        workspace_id: workspace,
        sub: user as string,
        scope,
        iss: claims.issuer ?? issuer,
        aud: claims.audience ?? audience,
        ...(expiresIn === null ? {} : { exp: now + expiresIn }),
        ...(claims.age === undefined ? {} : { iat: now - claims.age }),
      };
      const kidOfToken = header.kid === undefined ? kid : header.kid;
      return new SignJWT(payload)
        .setProtectedHeader({
          alg: header.alg ?? alg,
          ...(kidOfToken === null ? {} : { kid: kidOfToken }),
          ...(header.typ === undefined ? {} : { typ: header.typ as string }),
        })
        .sign(privateKey);
    },
  };
};

/** Publishes keys in a JWKS file. */
export const publish = (path: string, keys: SigningKey[]) =>
  writeFileSync(path, JSON.stringify({ keys: keys.map(({ jwk }) => jwk) }));
