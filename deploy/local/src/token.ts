import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { uuid } from '@cardinal/contracts';
import { ensureKeys, notOurs } from '@cardinal/servers';
import { Command, InvalidArgumentError } from 'commander';
import { parseDuration, readConfig } from './config.ts';
import { demoUser, demoWorkspace } from './demo.ts';
import { runningTokens } from './run-file.ts';

const scopes = ['kanban:read', 'kanban:write', 'kanban:admin'];

const parseUuid = (value: string) => {
  const parsed = uuid.safeParse(value);
  if (!parsed.success) throw new InvalidArgumentError('It is not a uuid.');
  return parsed.data;
};

const parseScope = (value: string) => {
  const words = value.split(' ').filter(Boolean);
  if (words.length === 0 || words.some((word) => !scopes.includes(word))) {
    throw new InvalidArgumentError(`It must be one or more of ${scopes.join(', ')}, separated by spaces.`);
  }
  return words.join(' ');
};

const config = readConfig();
const rules = runningTokens(join(config.stateFolder, 'run.json')) ?? config.tokens;

const parseExpiry = (value: string) => {
  const parsed = parseDuration(value);
  if (parsed === undefined) throw new InvalidArgumentError('It must be a time like 3600, 90s, 15m, 1h or 2d.');
  if (parsed <= rules.maxLifetimeS) return parsed;
  throw new InvalidArgumentError(
    `The gateway takes none that is good for more than ${rules.maxLifetimeS} seconds: start it with a longer TOKEN_MAX_LIFETIME_S.`,
  );
};

const { workspace, user, scope, expires } = new Command('token')
  .description('Prints one token, signed by the local development key, for the stack that `npm start` runs.')
  .option('--workspace <uuid>', 'workspace that the token names', parseUuid, demoWorkspace)
  .option('--user <uuid>', 'user that the token speaks for', parseUuid, demoUser)
  .option('--scope <scopes>', 'what it may do', parseScope, 'kanban:read kanban:write')
  .option('--expires <time>', 'how long it is good for: seconds, or a time like 90s, 15m, 1h or 2d', parseExpiry)
  .allowExcessArguments(false)
  .parse()
  .opts<{ workspace: string; user: string; scope: string; expires?: number }>();

const toStderr = (line: string) => void process.stderr.write(`${line}\n`);

const printToken = async () => {
  const keys = join(config.stateFolder, 'keys');
  if (!existsSync(keys)) toStderr(`There was no signing key in ${keys}: made one, for the next npm start there`);
  const { sign } = await ensureKeys(keys, rules);
  const expiresIn = expires ?? Math.min(3600, rules.maxLifetimeS);
  process.stdout.write(`${await sign({ workspace, user, scope, expiresIn })}\n`);
};

if (rules.keysFrom) {
  toStderr(`The gateway takes tokens signed with the keys of ${rules.keysFrom}, none of the development key`);
  process.exitCode = 1;
} else {
  await printToken().catch((error) => {
    const line = notOurs(error);
    if (line === undefined) throw error;
    toStderr(line);
    process.exitCode = 1;
  });
}
