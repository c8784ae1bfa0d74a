import { join } from 'node:path';
import { demoScope, demoUser, demoWorkspace, ensureDemo } from '@cardinal/local';
import { ensureKeys } from '@cardinal/servers';
import { readDemoConfig } from './config.ts';

/** Fills the demo workspace through the API, once: what its user deletes stays deleted. Prints nothing: a token follows. */
const { CARDINAL_STATE: state, API_URL: baseUrl, TOKEN_AUDIENCE: audience } = readDemoConfig();
const { sign } = await ensureKeys(join(state, 'keys'), { audience });
const token = await sign({ workspace: demoWorkspace, user: demoUser, scope: demoScope, expiresIn: 60 });
await ensureDemo({ file: join(state, 'demo.json'), database: 'compose', baseUrl, token });
