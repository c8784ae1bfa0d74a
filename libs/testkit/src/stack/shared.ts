import { join } from 'node:path';
import { givenStack } from '../environment.ts';
import { askDesk } from '../run/desk.ts';
import { providedDesk } from '../run/provided.ts';
import { runFolder } from '../run/worker.ts';
import type { Stack } from './build.ts';
import type { ServiceName } from './members.ts';
import { mintToken, mintWrongTokens, type TokenWish, type WrongTokens } from './tokens.ts';

/** The stack that every acceptance test of a run shares. */
export interface SharedStack {
  /** `http://…/api/kanban/v1` */
  baseUrl: string;
  /** The gateway's root: health, OpenAPI, docs. */
  origin: string;
  /** Where each service tells its metrics. */
  metricsUrls: Record<ServiceName, string>;
  /** For a new workspace and a new user, unless the wish names them. */
  token(wish?: TokenWish): Promise<string>;
  wrongTokens(wish?: TokenWish): Promise<WrongTokens>;
}

/** The run's stack, started by whoever asks first. Keep to workspaces of your own. */
export const sharedStack = async (): Promise<SharedStack> => {
  const given = givenStack();
  const { baseUrl, metricsUrls } = given
    ? // Metrics are for nobody outside.
      { baseUrl: `${given.origin}/api/kanban/v1`, metricsUrls: {} as Stack['metricsUrls'] }
    : await askDesk<Pick<Stack, 'baseUrl' | 'metricsUrls'>>(providedDesk(), 'stack');
  const keys = given?.keys ?? join(runFolder(), 'keys');
  return {
    baseUrl,
    origin: new URL(baseUrl).origin,
    metricsUrls,
    token: (wish) => mintToken(keys, wish),
    wrongTokens: (wish) => mintWrongTokens(keys, wish),
  };
};
