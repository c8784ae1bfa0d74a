import { type DatabaseOwner, databaseOwners } from '@cardinal/contracts';
import { busCa, busUrl, loadConfig } from '@cardinal/runtime';
import { tokenAudience } from '@cardinal/servers';
import { z } from 'zod';

const folder = z.string().startsWith('/');

/** Of a role that may make roles and schemas, and the password that each service's role shall have. */
const roles = z.object({
  DATABASE_URL: z.string(),
  ...(Object.fromEntries(
    databaseOwners.map((owner) => [`${owner.toUpperCase()}_DATABASE_PASSWORD`, z.string().min(16)]),
  ) as Record<`${Uppercase<DatabaseOwner>}_DATABASE_PASSWORD`, z.ZodString>),
});

/** Of the broker's user `deploy`. */
const registers = z.object({ NATS_URL: busUrl, NATS_CA: busCa });

/** `CARDINAL_STATE` holds the key that signs demo tokens; its public half goes to the gateway's folder. */
const keys = z.object({ CARDINAL_STATE: folder, JWKS_FOLDER: folder });

/** `API_URL` is `http://gateway…/api/kanban/v1`. `OPERATOR_KEY` is there where an API key follows, and not a token. */
const demo = z
  .object({
    CARDINAL_STATE: folder,
    API_URL: z.url(),
    TOKEN_AUDIENCE: z.string().default(tokenAudience),
    OPERATOR_KEY: z.string().optional(),
    TOKEN_ISSUER: z.string().optional(),
    // The gateway's JWKS_FILE.
    GATEWAY_JWKS_FILE: z.string().optional(),
  })
  .refine(({ OPERATOR_KEY, TOKEN_ISSUER }) => OPERATOR_KEY !== undefined || TOKEN_ISSUER === undefined, {
    path: ['TOKEN_ISSUER'],
    message: 'is set: whoever issues tokens there makes the ones for a first look, too',
  })
  .refine(({ OPERATOR_KEY, GATEWAY_JWKS_FILE }) => OPERATOR_KEY !== undefined || GATEWAY_JWKS_FILE !== undefined, {
    path: ['JWKS_FILE'],
    message: 'is empty: no token is accepted here; "docker compose run --rm key" prints an API key',
  });

/** What each program reads from its environment; ends the process where that is wrong. */
export const readRolesConfig = () => loadConfig(roles, process.env);
export const readRegistersConfig = () => loadConfig(registers, process.env);
export const readKeysConfig = () => loadConfig(keys, process.env);
export const readDemoConfig = () => loadConfig(demo, process.env);
