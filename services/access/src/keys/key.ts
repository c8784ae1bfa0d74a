import * as contracts from '@cardinal/contracts';
import {
  type ApiKey,
  type ApiKeyWithText,
  type Caller,
  CardinalError,
  type Credential,
  requireFound,
} from '@cardinal/contracts';
import { answerCommand, type Outcome, resourceOf } from '@cardinal/db';
import { apiKeys, type KeyRow, type Reader, type ServiceContext, type Tx } from '../context.ts';
import type { Erasures } from '../people/erasures.ts';
import type { Revocations } from './revocations.ts';

/** What the operations on API keys need. */
export interface KeysContext extends ServiceContext {
  revocations: Revocations;
  erasures: Erasures;
  /** Called after a commit that a rollback must not hide. */
  noteWrite: () => void;
}

/** Whether a key may be used at a moment. */
export const stateOf = ({ revoked_at, expires_at }: KeyRow, now: Date): ApiKey['state'] => {
  if (revoked_at) return 'revoked';
  return expires_at && expires_at <= now ? 'expired' : 'active';
};

const shown = resourceOf(contracts.apiKey);
/** A key as the API shows it. */
export const toApiKey = (row: KeyRow, now: Date): ApiKey => shown({ ...row, state: stateOf(row, now) });

/** Whether the caller may act on keys of others. */
export const isAdmin = ({ scope }: Credential): boolean => scope === 'kanban:admin';

/**
 * Refuses a key that does something to others, where its user can have a token.
 * @param id the key that it is done to, which may be itself
 * @throws CardinalError `forbidden`
 */
export const permit = ({ api_key, has_issuer }: Credential, does: 'makes' | 'revokes', id?: string): void => {
  if (api_key && has_issuer && api_key.id !== id)
    throw new CardinalError('forbidden', `An API key ${does} no other; use a token`);
};

/** Finds a key that the caller may see: its own, or with `kanban:admin` any. @throws CardinalError `not_found` */
export const findSeen = async (tx: Reader, caller: Caller, id: string, credential: Credential): Promise<KeyRow> => {
  const row = await apiKeys.find(tx, caller.workspace_id, id);
  const isSeen = row?.user_id === caller.user_id || isAdmin(credential);
  return requireFound('API key', isSeen ? row : undefined);
};

/** Answers once with the text; replays have none. */
export const answerOnce = async (
  tx: Tx,
  request: Caller & { command: contracts.Command },
  answer: ApiKeyWithText,
  now: Date,
): Promise<Outcome<ApiKeyWithText>> => {
  await answerCommand(tx, request, { ...answer, key: null }, now);
  return { resource: answer, replayed: false };
};
