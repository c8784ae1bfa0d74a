import { CardinalError, conflict, type FileStatus } from '@cardinal/contracts';

/** What the checks of a file say of it. */
interface Checked {
  status: FileStatus;
  storage_key: string | null;
  size: number | null;
  content_type: string | null;
  width: number | null;
  height: number | null;
}

/** A file that passed every check: its bytes are there. */
interface Clean {
  status: 'clean';
  storage_key: string;
  size: number;
  content_type: string;
}

const underWay: Partial<Record<FileStatus, string>> = {
  pending: 'The file has not been uploaded yet',
  scanning: 'The file is still being checked',
};

const unusable = (message: string) => new CardinalError('validation_error', message, [{ path: ['file_id'], message }]);

/**
 * The readiness rule that downloads, covers and links share (specification, "Card cover").
 * @throws CardinalError `conflict` while the file is not checked, `validation_error` where it failed a check
 */
export function requireClean<File extends Checked>(file: File): asserts file is File & Clean {
  const waiting = underWay[file.status];
  if (waiting) throw conflict(waiting);
  if (file.status !== 'clean') throw unusable(`The file is ${file.status}`);
}

/** A clean file that decoded as a raster image. */
export type Image = Clean & { width: number; height: number };

/** @throws CardinalError as `requireClean`, and `validation_error` for what is no image */
export function requireImage<File extends Checked>(file: File): asserts file is File & Image {
  requireClean(file);
  if (file.width === null || file.height === null) throw unusable('The file is not a raster image');
}
