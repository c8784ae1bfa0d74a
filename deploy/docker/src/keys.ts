import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureKeys } from '@cardinal/servers';
import { readKeysConfig } from './config.ts';

/**
 * Makes the key that signs demo tokens, on first use, and puts its public half where the gateway finds it: the gateway
 * never sees the other one.
 */
const { CARDINAL_STATE: state, JWKS_FOLDER: shown } = readKeysConfig();
const { jwksPath } = await ensureKeys(join(state, 'keys'));
copyFileSync(jwksPath, join(shown, 'jwks.json'));
process.stdout.write('the key of demo tokens is there\n');
