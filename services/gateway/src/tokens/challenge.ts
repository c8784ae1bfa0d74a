import type { ErrorCode, HttpOperation, Scope } from '@cardinal/contracts';
import type { FastifyRequest } from 'fastify';
import { bearerToken } from './bearer.ts';
import { rankOf } from './claims.ts';

/** What a challenge needs to know of an operation. */
export type ScopedOperation = Partial<Pick<HttpOperation, 'scope' | 'asAdmin' | 'asCredential'>>;

const admin: Scope = 'kanban:admin';

/** The scope with which the caller would not be refused; undefined where none helps, as for the comment of somebody else. */
const scopeThatHelps = ({ routeOptions, principal }: FastifyRequest): Scope | undefined => {
  const { scope, asAdmin, asCredential }: ScopedOperation = routeOptions.config.operation ?? {};
  if (scope && principal.rank < rankOf(scope)) return scope;
  return (asAdmin || asCredential) && principal.rank < rankOf(admin) ? admin : undefined;
};

/** The `WWW-Authenticate` of a refusal (RFC 6750, 3): it names no error where no credential came. */
export const challengeOf = (request: FastifyRequest, code: ErrorCode): string | undefined => {
  if (code === 'unauthenticated') return bearerToken(request.raw) ? 'Bearer error="invalid_token"' : 'Bearer';
  const scope = code === 'insufficient_scope' ? scopeThatHelps(request) : undefined;
  return scope && `Bearer error="insufficient_scope", scope="${scope}"`;
};
