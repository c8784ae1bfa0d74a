import { join } from 'node:path';
import { uuid } from '@cardinal/contracts';
import { Command, InvalidArgumentError } from 'commander';
import { readConfig } from './config.ts';
import { ensureKeys } from './keys.ts';
import { demoUser, demoWorkspace } from './start/demo.ts';
import { parseDuration } from './token/duration.ts';

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

const parseExpiry = (value: string) => {
  const parsed = parseDuration(value);
  if (parsed === undefined) throw new InvalidArgumentError('It must be a time like 90s, 15m, 1h or 30d.');
  return parsed;
};

const { workspace, user, scope, expires } = new Command('token')
  .description('Prints one token, signed by the local development key, for the stack that `npm start` runs.')
  .option('--workspace <uuid>', 'workspace that the token names', parseUuid, demoWorkspace)
  .option('--user <uuid>', 'user that the token speaks for', parseUuid, demoUser)
  .option('--scope <scopes>', 'what it may do', parseScope, 'kanban:read kanban:write')
  .option('--expires <time>', 'how long it is good for', parseExpiry, 3600)
  .allowExcessArguments(false)
  .parse()
  .opts<{ workspace: string; user: string; scope: string; expires: number }>();

const { sign } = await ensureKeys(join(readConfig().stateFolder, 'keys'));
process.stdout.write(`${await sign({ workspace, user, scope, expiresIn: expires })}\n`);
