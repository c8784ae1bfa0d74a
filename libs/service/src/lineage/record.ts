import type { Bus } from '@cardinal/bus';
import { unavailable } from '@cardinal/contracts';
import type { z } from 'zod';

/** Most tries to write a key that other processes write at the same time. */
const maxTries = 20;

/**
 * Writes a mark to the register by compare and set, before the write that it outlives commits (ARCHITECTURE, "Lineage").
 * @param what.next makes the mark from the known one; undefined where the known one stays
 * @param what.end when the mark may be forgotten; never by default
 * @throws CardinalError `unavailable` where the register cannot be reached, or others write the key all the time
 */
export const recordMark = async <Mark>(
  register: Pick<Bus['register'], 'read' | 'write'>,
  key: string,
  {
    schema,
    next,
    end = null,
  }: { schema: z.ZodType<Mark>; next: (known?: Mark) => Mark | undefined; end?: Date | null },
): Promise<void> => {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const { value, revision } = await register.read(key, schema);
    const mark = next(value);
    if (mark === undefined || (await register.write(key, mark, revision, end)) !== undefined) return;
  }
  throw unavailable(`The register's key ${key} changes all the time`);
};
