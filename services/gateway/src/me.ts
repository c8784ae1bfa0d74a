import { documentOf, type Me, scopes } from '@cardinal/contracts';
import type { FastifyRequest } from 'fastify';
import type { Config } from './config.ts';

/** Answers the user and workspace of a token, its scopes, and when it ends, without the tolerance of clocks. */
export const meOf =
  ({ TOKEN_CLOCK_TOLERANCE_S: tolerance }: Pick<Config, 'TOKEN_CLOCK_TOLERANCE_S'>) =>
  ({ principal: { caller, rank, expiresAt, apiKey } }: FastifyRequest) => {
    const ends = apiKey ? apiKey.expires_at : new Date(expiresAt - tolerance * 1000).toISOString();
    return documentOf<Me>({
      user_id: caller.user_id,
      workspace_id: caller.workspace_id,
      scopes: scopes.slice(0, rank),
      token_expires_at: ends,
      api_key: apiKey ?? null,
    });
  };
