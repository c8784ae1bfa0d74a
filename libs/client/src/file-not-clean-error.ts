import type { File } from '@cardinal/contracts';

/**
 * A file that was waited for is not clean: `file.status` is `infected`, or `rejected` for the reason in
 * `file.rejection`; `pending` or `scanning` where the wait ended before the checks did.
 */
export class FileNotCleanError extends Error {
  /** As it was last read. */
  readonly file: File;

  constructor(file: File) {
    super(`The file ${JSON.stringify(file.name)} is ${stateOf(file)}`);
    this.name = 'FileNotCleanError';
    this.file = file;
  }
}

const stateOf = ({ status, rejection }: File) => {
  if (status === 'pending' || status === 'scanning') return `still ${status}`;
  return rejection === null ? status : `${status}: ${rejection}`;
};
