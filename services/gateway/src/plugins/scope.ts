import { CardinalError, type Scope } from '@cardinal/contracts';
import type { onRequestHookHandler } from 'fastify';
import { rankOf } from '../tokens/principal.ts';

/** Refuses tokens without the scope, or one that includes it. */
export const requireScope = (scope: Scope): onRequestHookHandler => {
  const rank = rankOf(scope);
  return (request, _reply, done) => {
    if (request.principal.rank >= rank) done();
    else done(new CardinalError('insufficient_scope', `The token lacks the scope ${scope}`));
  };
};
