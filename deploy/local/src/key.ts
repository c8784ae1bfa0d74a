import { hostname } from 'node:os';
import { join } from 'node:path';
import { type Scope, scopes, uuid } from '@cardinal/contracts';
import { ConfigError, ensureOperatorKey, notOurs } from '@cardinal/servers';
import { Command, InvalidArgumentError, Option } from 'commander';
import { readConfig } from './config.ts';
import { demoUser, demoWorkspace } from './demo.ts';
import { createFirstKey } from './operator.ts';
import { runningUrl } from './run-file.ts';

const parseUuid = (value: string) => {
  const parsed = uuid.safeParse(value);
  if (!parsed.success) throw new InvalidArgumentError('It is not a uuid.');
  return parsed.data;
};

const options = new Command('key')
  .description('Creates an API key on the stack that `npm start` runs, or at API_URL, and prints its text, once.')
  .option('--name <text>', 'what it is for, such as laptop', hostname())
  .addOption(new Option('--scope <scope>', 'what it may do').choices(scopes).default('kanban:write'))
  .option('--workspace <uuid>', 'its workspace', parseUuid, demoWorkspace)
  .option('--user <uuid>', 'the user whom it stands for', parseUuid, demoUser)
  .option('--expires-at <time>', 'when it ends (default: in 90 days)')
  .allowExcessArguments(false)
  .parse()
  .opts<{ name: string; scope: Scope; workspace: string; user: string; expiresAt?: string }>();

const createKey = async (): Promise<string> => {
  const { stateFolder, apiUrl, operatorKey } = readConfig();
  const url = apiUrl ?? runningUrl(join(stateFolder, 'run.json'));
  if (url === undefined) throw new ConfigError('Cardinal does not run here; start it with "npm start"');
  // That of a stack elsewhere is made there.
  const key = operatorKey ?? (apiUrl === undefined ? ensureOperatorKey(stateFolder) : undefined);
  if (key === undefined) throw new ConfigError('OPERATOR_KEY is not set: give it the one that the gateway has');
  const { name, scope, workspace: workspace_id, user: user_id, expiresAt: expires_at } = options;
  return createFirstKey(url, key, { name, scope, workspace_id, user_id, expires_at });
};

await createKey().then(
  (key) => process.stdout.write(`${key}\n`),
  (error) => {
    const line = error instanceof ConfigError ? error.message : notOurs(error);
    if (line === undefined) throw error;
    process.stderr.write(`${line}\n`);
    process.exitCode = 1;
  },
);
