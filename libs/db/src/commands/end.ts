import { sql } from 'kysely';
import type { AnyTransaction } from '../handles.ts';
import type { CommandKey } from './command.ts';

/** A command that succeeded, and the JSON to answer whenever it is sent again. */
export interface EndedCommand extends CommandKey {
  response: unknown;
}

/** Stores the responses of claimed commands. One that ended already keeps the response it has. */
export async function endCommands(tx: AnyTransaction, ended: EndedCommand[], now: Date): Promise<void> {
  if (ended.length === 0) return;
  await sql`
    update commands
    set response = new.response::jsonb, ended_at = ${now}::timestamptz
    from unnest(
      ${ended.map((command) => command.workspaceId)}::uuid[],
      ${ended.map((command) => command.id)}::uuid[],
      ${ended.map((command) => JSON.stringify(command.response ?? null))}::text[]
    ) as new (workspace_id, id, response)
    where commands.workspace_id = new.workspace_id and commands.id = new.id and commands.ended_at is null`.execute(tx);
}
