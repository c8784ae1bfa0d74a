import type { Caller, EventOf, linkedFileChanged } from '@cardinal/contracts';
import type { Reader, Tx } from './database.ts';
import { boardVisibleTo } from './visibility.ts';

/** What the column `linked_file` holds: the file, and the board that decides who sees it. */
export type KeptLink = EventOf<typeof linkedFileChanged>['data']['file'];

/**
 * Writes down what the attachment service says of a subtask's link, over older words only. Versions make it repeatable,
 * so that it needs no inbox. The subtask's own version stays, as the card's does with its cover.
 * @returns whether something changed
 */
export const projectLinkedFile = async (tx: Tx, event: EventOf<typeof linkedFileChanged>): Promise<boolean> => {
  const { subtask_id, file } = event.data;
  const { numUpdatedRows } = await tx
    .updateTable('subtasks')
    .set({ linked_file: file && JSON.stringify(file), linked_file_version: event.aggregate_version })
    .where('workspace_id', '=', event.workspace_id)
    .where('id', '=', subtask_id)
    .where('linked_file_version', '<', event.aggregate_version)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
};

/** Of the boards that the links of these subtasks depend on, those that the caller sees. */
export const linkBoardsSeen = async (
  tx: Reader,
  { workspace_id, user_id }: Caller,
  rows: readonly { linked_file: unknown }[],
): Promise<Set<string>> => {
  const asked = rows.map((row) => (row.linked_file as KeptLink)?.board_id).filter((id) => id != null);
  if (asked.length === 0) return new Set();
  const seen = await tx
    .selectFrom('boards')
    .select('id')
    .where('workspace_id', '=', workspace_id)
    .where('id', 'in', asked)
    .where('deleted_at', 'is', null)
    .where(boardVisibleTo(user_id))
    .execute();
  return new Set(seen.map((board) => board.id));
};
