import type { Caller, EventOf, linkedFileChanged } from '@cardinal/contracts';
import { boardsSeen } from './boards.ts';
import type { Reader, Tx } from './database.ts';

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
export const linkBoardsSeen = (tx: Reader, caller: Caller, rows: readonly { linked_file: unknown }[]) =>
  boardsSeen(
    tx,
    caller,
    rows.map((row) => (row.linked_file as KeptLink)?.board_id).filter((id) => id != null),
  );
