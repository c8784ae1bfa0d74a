import { join } from 'node:path';
import { demoScope, demoUser, demoWorkspace, ensureDemo } from '@cardinal/local';
import { createFirstKey } from '@cardinal/local/operator';
import { ensureKeys } from '@cardinal/servers';
import { readDemoConfig } from './config.ts';

const { CARDINAL_STATE: state, API_URL: baseUrl, TOKEN_AUDIENCE: audience, ...config } = readDemoConfig();
const { OPERATOR_KEY, TOKEN_ISSUER } = config;

/** A credential of a minute: a key, or a token of the demo's issuer where the operator makes no keys. */
const credential = async (): Promise<string> => {
  const [workspace_id, user_id] = [demoWorkspace, demoUser];
  if (OPERATOR_KEY !== undefined) {
    const expires_at = new Date(Date.now() + 60_000).toISOString();
    const given = { name: 'demo', scope: 'kanban:admin' as const, workspace_id, user_id, expires_at };
    return createFirstKey(baseUrl, OPERATOR_KEY, given);
  }
  const { sign } = await ensureKeys(join(state, 'keys'), { audience });
  return sign({ workspace: workspace_id, user: user_id, scope: demoScope, expiresIn: 60 });
};

// Fills the demo workspace through the API, once: what its user deletes stays deleted. Prints nothing: a token or key follows.
// There is no demo where another issuer makes the tokens.
if (TOKEN_ISSUER === undefined)
  await ensureDemo({ file: join(state, 'demo.json'), database: 'compose', baseUrl, credential });
