import { type Caller, conflict, notFound, requireFound } from '@cardinal/contracts';
import type { CardSummary } from '@cardinal/service';
import type { ServiceContext, StoredFile } from '../context.ts';
import { findFile } from './queries.ts';

/** Whether the caller sees a file: who sees its board, or everybody in its workspace (api-decisions, "Files"). */
export const seesFile = async (
  { visibility }: ServiceContext,
  caller: Caller,
  { board_id }: StoredFile,
): Promise<boolean> => board_id === null || (await visibility.boards(caller, [board_id])).has(board_id);

/** Reads a file. @throws CardinalError `not_found` where there is none, or none that the caller sees */
export const requireFile = async (context: ServiceContext, caller: Caller, fileId: string): Promise<StoredFile> => {
  const found = await context.db.read((tx) => findFile(tx, caller.workspace_id, fileId));
  const file = requireFound('File', found);
  if (!(await seesFile(context, caller, file))) throw notFound('File');
  return file;
};

/** @throws CardinalError `not_found` where there is no card, or none that the caller sees */
export const requireCard = async ({ visibility }: ServiceContext, caller: Caller, id: string): Promise<CardSummary> =>
  requireFound('Card', (await visibility.cards(caller, [id])).get(id));

/** @throws CardinalError `conflict` for a card of a deleted board */
export const requireWritable = ({ board_deleted }: { board_deleted: boolean }): void => {
  if (board_deleted) throw conflict('The board of the card is deleted');
};
