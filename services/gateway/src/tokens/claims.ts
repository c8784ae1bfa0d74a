import { type Caller, type Scope, scopes, uuid, type VerifiedKey, type Visitor, visitor } from '@cardinal/contracts';
import type { JWTPayload } from 'jose';
import { v5 } from 'uuid';
import type { Config } from '../config.ts';

export const rankOf = (scope: Scope): number => scopes.indexOf(scope) + 1;

/** Rank of the highest scope in the list; 0 for none. Unknown values are ignored. */
export const highestRank = (words: readonly string[]): number =>
  words.reduce((rank, word) => Math.max(rank, rankOf(word as Scope)), 0);

/** The caller that a verified token identifies. */
export interface Principal {
  caller: Caller;
  /** The key by which the caller's use is counted. */
  key: string;
  rank: number;
  /** epoch ms */
  expiresAt: number;
  /** Set where the request came with an API key. */
  apiKey?: Pick<VerifiedKey, 'id' | 'name' | 'expires_at'>;
  /** What the token calls its user; undefined where it says nothing of it. */
  claims?: Claims;
}

export type Claims = Pick<Visitor, 'name' | 'email' | 'issued_at'>;

/** Which claims of a token hold what. */
export interface ClaimRules
  extends Pick<
    Config,
    | 'TOKEN_WORKSPACE_CLAIM'
    | 'TOKEN_USER_CLAIM'
    | 'TOKEN_NAME_CLAIM'
    | 'TOKEN_EMAIL_CLAIM'
    | 'TOKEN_SCOPE_CLAIMS'
    | 'TOKEN_SCOPE_MAP'
    | 'TOKEN_IDS'
  > {
  TOKEN_ISSUER: string;
}

/** The longest text that becomes an id; OpenID Connect Core 2 allows a subject 255 characters. */
const longestId = 255;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** The claim at a path. A name may contain dots: the longest matching name wins (`realm_access.roles`). */
export const claimAt = (claims: unknown, path: string): unknown => {
  if (!isObject(claims)) return undefined;
  if (Object.hasOwn(claims, path)) return claims[path];
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
    const name = path.slice(0, dot);
    const found = Object.hasOwn(claims, name) ? claimAt(claims[name], path.slice(dot + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
};

const idAt = (claims: JWTPayload, path: string, { TOKEN_IDS, TOKEN_ISSUER }: ClaimRules): string => {
  const claim = claimAt(claims, path);
  const text = Array.isArray(claim) && claim.length === 1 ? claim[0] : claim;
  if (typeof text !== 'string') throw new Error(`the claim "${path}" is missing, or is no text`);
  const parsed = uuid.safeParse(text);
  if (parsed.success) return parsed.data;
  if (TOKEN_IDS === 'uuid') throw new Error(`the claim "${path}" is no UUID; TOKEN_IDS=any makes one of any text`);
  if (text.length === 0 || text.length > longestId || !text.isWellFormed()) {
    throw new Error(`the claim "${path}" is no text of 1 to ${longestId} characters`);
  }
  // Always the same id for a text of an issuer (RFC 9562 5.5; the issuer's URL is hashed to the namespace).
  return v5(text, v5(TOKEN_ISSUER, v5.URL));
};

/** The values of a claim: words of a text (RFC 8693 4.2), or entries of a list. */
const wordsAt = (claims: JWTPayload, path: string): string[] => {
  const claim = claimAt(claims, path);
  if (claim === undefined) return [];
  if (typeof claim === 'string') return claim.split(' ');
  if (Array.isArray(claim) && claim.every((word) => typeof word === 'string')) return claim;
  throw new Error(`the claim "${path}" is neither text nor a list of texts`);
};

/** What a token calls its user: claims that a person may have, of an address that is not known to be somebody else's. */
const namingOf = (claims: JWTPayload, rules: ClaimRules): Claims | undefined => {
  const { name: nameRule, email: emailRule } = visitor.shape;
  const name = nameRule.safeParse(claimAt(claims, rules.TOKEN_NAME_CLAIM)).data ?? null;
  const isVerified = claims.email_verified !== false;
  const email = (isVerified ? emailRule.safeParse(claimAt(claims, rules.TOKEN_EMAIL_CLAIM)).data : null) ?? null;
  if (name === null && email === null) return undefined;
  const issued_at = claims.iat === undefined ? null : new Date(claims.iat * 1_000).toISOString();
  return { name, email, issued_at };
};

/** The caller that the claims of a token identify. @throws Error that names the missing claim */
export const principalOf = (claims: JWTPayload, rules: ClaimRules): Omit<Principal, 'expiresAt'> => {
  const workspace_id = idAt(claims, rules.TOKEN_WORKSPACE_CLAIM, rules);
  const user_id = idAt(claims, rules.TOKEN_USER_CLAIM, rules);
  const naming = namingOf(claims, rules);
  const words = rules.TOKEN_SCOPE_CLAIMS.flatMap((path) => wordsAt(claims, path));
  return {
    caller: { workspace_id, user_id },
    key: `${workspace_id}|${user_id}`,
    rank: highestRank(words.map((word) => rules.TOKEN_SCOPE_MAP.get(word) ?? word)),
    ...(naming && { claims: naming }),
  };
};

/** The caller that an API key stands for. */
export const principalOfKey = (workspace_id: string, key: VerifiedKey): Principal => ({
  caller: { workspace_id, user_id: key.user_id, by_api_key: key.id },
  key: `${workspace_id}|${key.user_id}`,
  rank: rankOf(key.scope),
  expiresAt: key.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(key.expires_at),
  apiKey: { id: key.id, name: key.name, expires_at: key.expires_at },
});
