import { type Caller, CardinalError, conflict, type FileStatus, notFound, requireFound } from '@cardinal/contracts';
import type { CardSummary } from '@cardinal/service';
import type { ServiceContext, StoredFile } from '../context.ts';
import { findFile } from './queries.ts';

/** Whether the caller sees a file: it must see the file's board, if there is one (CONTRACT 8.1). */
export const seesFile = async (
  { visibility }: ServiceContext,
  caller: Caller,
  { board_id }: StoredFile,
): Promise<boolean> => board_id === null || (await visibility.boards(caller, [board_id])).has(board_id);

/** Reads a file. @throws CardinalError `not_found` where there is none that the caller sees */
export const requireFile = async (context: ServiceContext, caller: Caller, fileId: string): Promise<StoredFile> => {
  const found = await context.db.read((tx) => findFile(tx, caller.workspace_id, fileId));
  const file = requireFound('File', found);
  if (!(await seesFile(context, caller, file))) throw notFound('File');
  return file;
};

/** Reads a card. @throws CardinalError `not_found` where there is none that the caller sees */
export const requireCard = async ({ visibility }: ServiceContext, caller: Caller, id: string): Promise<CardSummary> =>
  requireFound('Card', (await visibility.cards(caller, [id])).get(id));

/** @throws CardinalError `conflict` for a card of a deleted board */
export const requireWritable = ({ board_deleted }: { board_deleted: boolean }): void => {
  if (board_deleted) throw conflict('The board of the card is deleted');
};

const underWay: Partial<Record<FileStatus, string>> = {
  pending: 'The file has not been uploaded yet',
  scanning: 'The file is still being checked',
};

const unusable = (message: string) => new CardinalError('validation_error', message, [{ path: ['file_id'], message }]);

/**
 * The readiness rule of downloads, covers and links (CONTRACT 8.2).
 * @throws CardinalError `conflict` before the file is checked, `validation_error` where it failed a check
 */
export const requireClean = ({ status }: { status: FileStatus }): void => {
  const waiting = underWay[status];
  if (waiting) throw conflict(waiting);
  if (status !== 'clean') throw unusable(`The file is ${status}`);
};

/** A clean file that decoded as a raster image. */
export interface Image {
  content_type: string;
  width: number;
  height: number;
}

type Checked = { status: FileStatus } & { [Fact in keyof Image]: Image[Fact] | null };

/** @throws CardinalError as `requireClean`, and `validation_error` where it is no image */
export function requireImage<File extends Checked>(file: File): asserts file is File & Image {
  requireClean(file);
  if (file.width === null) throw unusable('The file is not a raster image');
}
