import type { Reader } from './database.ts';

/** The stored responses of commands that ended, by command id. */
export const selectResponses = async (
  tx: Reader,
  workspaceId: string,
  commandIds: readonly string[],
): Promise<Map<string, unknown>> => {
  if (commandIds.length === 0) return new Map();
  const rows = await tx
    .selectFrom('commands')
    .select(['id', 'response'])
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', commandIds)
    .where('ended_at', 'is not', null)
    .execute();
  return new Map(rows.map((row) => [row.id, row.response]));
};
