import { CardinalError, conflict, type FileStatus } from '@cardinal/contracts';

const underWay: Partial<Record<FileStatus, string>> = {
  pending: 'The file has not been uploaded yet',
  scanning: 'The file is still being checked',
};

const unusable = (message: string) => new CardinalError('validation_error', message, [{ path: ['file_id'], message }]);

/**
 * The readiness rule that downloads, covers and links share (specification, "Card cover").
 * @throws CardinalError `conflict` while the file is not checked, `validation_error` where it failed a check
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

/** @throws CardinalError as `requireClean`, and `validation_error` for what is no image */
export function requireImage<File extends Checked>(file: File): asserts file is File & Image {
  requireClean(file);
  if (file.width === null) throw unusable('The file is not a raster image');
}
