import { CardinalError, type Command } from '@cardinal/contracts';
import { sql } from 'kysely';
import type { Reader } from '../handles.ts';
import { type CommandKey, type CommandRow, judge, type KnownCommand } from './command.ts';

/** The rows of those commands that exist, in any order. */
export async function readCommands(db: Reader, keys: CommandKey[]): Promise<CommandRow[]> {
  const { rows } = await sql<CommandRow>`
    select workspace_id, id, fingerprint, response, ended_at is not null as ended
    from commands
    join unnest(${keys.map((key) => key.workspaceId)}::uuid[], ${keys.map((key) => key.id)}::uuid[])
      as wanted (workspace_id, id) using (workspace_id, id)`.execute(db);
  return rows;
}

/**
 * Looks a command up without claiming it; undefined when it is new.
 * @throws CardinalError `idempotency_key_reused` when the id was used with another fingerprint
 */
export async function findCommand(
  db: Reader,
  workspaceId: string,
  command: Command,
): Promise<KnownCommand | undefined> {
  const [row] = await readCommands(db, [{ workspaceId, id: command.id }]);
  if (!row) return undefined;
  const known = judge(row, command.fingerprint);
  if (known instanceof CardinalError) throw known;
  return known;
}
