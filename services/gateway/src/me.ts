import { documentOf, type Me, scopes } from '@cardinal/contracts';
import type { FastifyRequest } from 'fastify';
import type { Config } from './config.ts';

/** Says whom a token stands for, what it may do, and when it ends; the tolerance of clocks is none of its time. */
export const meOf =
  ({ TOKEN_CLOCK_TOLERANCE_S: tolerance }: Pick<Config, 'TOKEN_CLOCK_TOLERANCE_S'>) =>
  ({ principal: { caller, rank, expiresAt } }: FastifyRequest) => {
    const ends = new Date(expiresAt - tolerance * 1000);
    return documentOf<Me>({
      user_id: caller.user_id,
      workspace_id: caller.workspace_id,
      scopes: scopes.slice(0, rank),
      token_expires_at: ends.toISOString(),
    });
  };
