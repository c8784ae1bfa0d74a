import { CardinalError, unavailable, uuid } from '@cardinal/contracts';
import { errors, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from 'jose';
import { z } from 'zod';
import { highestRank, type Principal } from './principal.ts';

export const unauthenticated = (message: string, cause?: unknown) =>
  new CardinalError('unauthenticated', message, undefined, { cause });

const invalidToken = (cause: unknown) => unauthenticated('The token is not valid or has expired', cause);

const claims = z.object({ sub: uuid, workspace_id: uuid, scope: z.string().default(''), exp: z.number() });

/** The key set could not be read: that says nothing about the token. */
const isKeySetFailure = (error: unknown) =>
  !(error instanceof errors.JOSEError) ||
  error instanceof errors.JWKSTimeout ||
  error instanceof errors.JWKSInvalid ||
  error.code === 'ERR_JOSE_GENERIC';

const payloadOf = async (token: string, keys: JWTVerifyGetKey, options: JWTVerifyOptions): Promise<JWTPayload> => {
  try {
    return (await jwtVerify(token, keys, options)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    // A token that names no key fits several ones: any of them may have signed it.
    for await (const key of error) {
      try {
        return (await jwtVerify(token, key, options)).payload;
      } catch (mismatch) {
        if (!(mismatch instanceof errors.JWSSignatureVerificationFailed)) throw mismatch;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
};

/**
 * Verifies a token (api-decisions, "Tokens").
 * @throws CardinalError `unauthenticated` where it does not verify, `unavailable` where the keys are out of reach
 */
export const verifyToken = async (
  token: string,
  keys: JWTVerifyGetKey,
  expected: { issuer: string; audience: string; clockToleranceS: number },
): Promise<Principal> => {
  const payload = await payloadOf(token, keys, {
    algorithms: ['EdDSA', 'ES256', 'RS256'],
    issuer: expected.issuer,
    audience: expected.audience,
    clockTolerance: expected.clockToleranceS,
    requiredClaims: ['iss', 'aud', 'exp', 'sub', 'workspace_id'],
  }).catch((error: unknown) => {
    throw isKeySetFailure(error) ? unavailable('Tokens cannot be verified at the moment', error) : invalidToken(error);
  });
  const parsed = claims.safeParse(payload);
  if (!parsed.success) throw invalidToken(parsed.error);
  const { sub, workspace_id, scope, exp } = parsed.data;
  return {
    caller: { workspace_id, user_id: sub },
    rank: highestRank(scope),
    expiresAt: (exp + expected.clockToleranceS) * 1000,
  };
};
