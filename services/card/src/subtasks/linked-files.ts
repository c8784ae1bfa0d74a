import { type Caller, consumers, type EventOf, type linkedFileChanged, projectLinkedFile } from '@cardinal/contracts';
import { serveProjection } from '@cardinal/service';
import { sql } from 'kysely';
import { boardsSeen } from '../boards/queries.ts';
import { lockRow } from '../cards/queries.ts';
import type { ServiceContext } from '../context.ts';
import type { Reader, Tx } from '../database.ts';

/** The projection of linked files, from which subtasks show theirs. */
export const serveLinkedFiles = (context: ServiceContext): void =>
  serveProjection(context, {
    request: projectLinkedFile,
    consumer: consumers.cardOfLinkedFiles,
    project: async (event) => ({ applied: await context.db.transaction((tx) => project(tx, event, context.now())) }),
  });

/** What the column `linked_file` holds: the file, and the board that decides who sees it. */
export type KeptLink = EventOf<typeof linkedFileChanged>['data']['file'];

/**
 * Stores the state of a subtask's link that the attachment service reports, only if newer. Versions make it repeatable
 * without an inbox. The subtask's version rises by one for each change of its link, including updates that arrived
 * late: a link's version counts its changes. The card's version stays, as it does with its cover.
 * @returns whether something changed
 */
const project = async (tx: Tx, event: EventOf<typeof linkedFileChanged>, now: Date): Promise<boolean> => {
  const { subtask_id, card_id, file } = event.data;
  // Subtasks are written under their card's lock: no version may be given twice.
  await lockRow(tx, event.workspace_id, card_id);
  const link = event.aggregate_version;
  const { numUpdatedRows } = await tx
    .updateTable('subtasks')
    .set({
      linked_file: file && JSON.stringify(file),
      linked_file_version: link,
      version: sql<number>`version + ${link}::integer - linked_file_version`,
      updated_at: sql<Date>`greatest(updated_at, ${now}::timestamptz(3))`,
    })
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
