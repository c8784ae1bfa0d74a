import { sql } from 'kysely';
import type { AnyTransaction } from '../handles.ts';
import type { CommandKey } from './command.ts';

/** Forgets claims whose request was refused, so that the same key may be tried again. An ended command stays. */
export async function releaseCommands(tx: AnyTransaction, keys: CommandKey[]): Promise<void> {
  if (keys.length === 0) return;
  await sql`
    delete from commands
    using unnest(${keys.map((key) => key.workspaceId)}::uuid[], ${keys.map((key) => key.id)}::uuid[])
      as refused (workspace_id, id)
    where commands.workspace_id = refused.workspace_id and commands.id = refused.id
      and commands.ended_at is null`.execute(tx);
}
