import { failpoint } from '@cardinal/runtime';
import type { DatabaseLineage } from './lineage.ts';

/** Rows of one page of a comparison. */
const pageSize = 100;

interface Options<Row> {
  /** Reads rows that were not compared since an epoch began, at most `limit`. */
  list: (epoch: number, limit: number) => Promise<readonly Row[]>;
  /** Compares a row with the register and notes the epoch in it. */
  compare: (row: Row, epoch: number) => Promise<void>;
}

/**
 * Compares rows of a database with what the register remembers of them, once in each epoch (ARCHITECTURE, "Lineage").
 * @returns a function that resolves with the present epoch once all rows were compared in it; it rejects with `unavailable` if
 * the database or the register cannot be reached
 */
export const comparedWithRegister = <Row>(
  lineage: Pick<DatabaseLineage, 'met'>,
  { list, compare }: Options<Row>,
): (() => Promise<number>) => {
  /** The latest epoch in which all rows were compared. */
  let compared = 0;
  let comparing: Promise<void> | undefined;

  const compareAll = async (epoch: number): Promise<void> => {
    for (;;) {
      const rows = await list(epoch, pageSize);
      for (const row of rows) {
        await compare(row, epoch);
        failpoint('amid-comparison');
      }
      if (rows.length < pageSize) break;
    }
    compared = epoch;
  };

  return async () => {
    const { epoch } = await lineage.met();
    if (compared < epoch) {
      comparing ??= compareAll(epoch).finally(() => {
        comparing = undefined;
      });
      await comparing;
    }
    return epoch;
  };
};
