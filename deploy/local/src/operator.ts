import { apiPrefix, type ErrorBody, type Scope } from '@cardinal/contracts';
import { ConfigError } from '@cardinal/servers';

/** What `POST /operator/api-keys` takes (CONTRACT 13.4). */
export interface FirstKey {
  name: string;
  scope: Scope;
  workspace_id: string;
  user_id: string;
  /** RFC 3339; the usual end where it is left out. */
  expires_at?: string | undefined;
}

/** Why no key was made: the first thing that is wrong with a value, if that is the cause. */
const reasonOf = ({ error: { code, message, details } }: ErrorBody): string => {
  if (code !== 'validation_error') return message;
  const [wrong] = details as { path: string[]; message: string }[];
  return wrong ? `--${wrong.path.join('.').replaceAll('_', '-')} ${wrong.message}` : message;
};

/**
 * Creates an API key with the operator key.
 * @param url any URL of the gateway
 * @returns its text
 * @throws ConfigError why there is none, in words for a terminal
 */
export const createFirstKey = async (url: string, operatorKey: string, given: FirstKey): Promise<string> => {
  const request = {
    method: 'POST',
    headers: { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(given),
  };
  const response = await fetch(`${new URL(url).origin}${apiPrefix}/operator/api-keys`, request).catch(() => {
    throw new ConfigError(`Cardinal does not answer at ${url}; try again when it does`);
  });
  const answer = (await response.json()) as { data: { key: string } } | ErrorBody;
  if ('error' in answer) throw new ConfigError(reasonOf(answer));
  return answer.data.key;
};
