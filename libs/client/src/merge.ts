import { CardinalError } from './errors.ts';

/**
 * Times that a patch is sent again with a newer version: each of these 412 means that another writer got on. And times that it
 * is sent again as it was, where the service did not know all changes yet.
 */
const [maxRepeats, maxUnknown] = [16, 3];

/**
 * Sends a patch, and sends it again where others changed other fields since (`merge` of {@link PatchOptions}).
 * @param write sends it with a version
 * @throws CardinalError `precondition_failed` with `patched`, the fields of the patch; other errors pass through
 */
export const mergePatch = async <Answer>(
  patch: object,
  version: number,
  write: (version: number) => Promise<Answer>,
): Promise<Answer> => {
  const patched = Object.keys(patch);
  let current = version;
  for (let [repeats, unknown] = [0, 0]; ; ) {
    try {
      return await write(current);
    } catch (error) {
      if (!(error instanceof CardinalError && error.code === 'precondition_failed')) throw error;
      const { changes = [], complete, current_version } = error.details;
      const isApart = !changes.some(({ changed }) => changed.some((field) => patched.includes(field)));
      if (complete) repeats += 1;
      else unknown += 1;
      if (!isApart || repeats > maxRepeats || unknown > maxUnknown) {
        error.details.patched = patched;
        throw error;
      }
      if (complete) current = current_version;
    }
  }
};
