import type { Mark } from '@cardinal/contracts';

/** The size of the first grant, and of the largest, in numbers. */
const [smallest, largest] = [8, 1_000];
/**
 * A grant that lasted less than `shortMs` is followed by one of twice its size, or of four times its size where twice
 * would be short too. One that lasted more than `longMs` is followed by half.
 */
const [shortMs, longMs] = [10_000, 3_600_000];

/** The range of a workstream: the numbers that the card service may issue. */
export interface Range {
  /** The last number of the range. */
  granted_through: number;
  /** The epoch in which the range is valid. */
  epoch: number;
  /** The last number that was granted in earlier epochs. */
  epoch_base: number;
  /** The size of the last grant, in numbers. */
  grant_size: number | null;
  /** The time of the last grant; for the default workstream also that of the first request. */
  granted_at: Date | null;
}

/**
 * Combines the range of the database with the register's mark: the higher number, and the later epoch. Either of the
 * two can be the one that was rolled back or lost (ARCHITECTURE, "Lineage").
 */
export const rangeKnown = (row: Range, mark: Pick<Mark, 'through' | 'epoch' | 'epoch_base'>): Range => {
  const { epoch, epoch_base } = mark.epoch > row.epoch ? mark : row;
  const { grant_size, granted_at } = row;
  return { granted_through: Math.max(row.granted_through, mark.through), epoch, epoch_base, grant_size, granted_at };
};

/**
 * Checks by its mark whether a workstream was opened, so that it adopts no more. A database after a rollback can have
 * the former state.
 */
export const wasOpened = ({ through, adopting }: Pick<Mark, 'through' | 'adopting'>): boolean =>
  through > 0 && !adopting;

/**
 * Checks by the database whether a grant of a workstream was ever requested, or may have been. An opening counts as a
 * request. After the first request, a workstream adopts no more.
 */
export const wasAsked = ({
  granted_at,
  granted_through,
  adopting,
  epoch_base,
}: Pick<Range, 'granted_at' | 'granted_through' | 'epoch_base'> & { adopting: boolean }): boolean =>
  !adopting && (granted_at !== null || granted_through > epoch_base);

/** A request for a grant. */
interface GrantRequest {
  /** The last number that the caller issued. */
  last_number: number;
  /** The caller's epoch. */
  epoch: number;
  now: Date;
}

/**
 * Computes the range after a grant (ARCHITECTURE, "Numbers"; ARCHITECTURE, "Lineage"). A repeated request extends
 * nothing until half of the last grant is used, and a range never shrinks. In a later epoch, the range begins above all
 * earlier grants. The size of grants follows their use, to keep the gap after a rollback small.
 * @param range the range of database and register together (`rangeKnown`)
 * @returns undefined where the caller's epoch is over
 */
export const grantOf = (range: Range, { last_number, epoch, now }: GrantRequest): Range | undefined => {
  if (epoch < range.epoch) return undefined;
  const grant_size = sizeOf(range, now);
  const extended = { epoch, grant_size, granted_at: now };
  if (epoch > range.epoch) {
    const epoch_base = range.granted_through;
    return { ...extended, granted_through: epoch_base + grant_size, epoch_base };
  }
  const { granted_through, epoch_base } = range;
  if (granted_through - last_number > (range.grant_size ?? smallest) / 2) return range;
  return { ...extended, granted_through: Math.max(granted_through, last_number + grant_size), epoch_base };
};

const sizeOf = ({ grant_size, granted_at }: Range, now: Date): number => {
  if (grant_size === null || granted_at === null) return smallest;
  const lastedMs = now.getTime() - granted_at.getTime();
  if (lastedMs < shortMs) return Math.min(grant_size * (lastedMs < shortMs / 2 ? 4 : 2), largest);
  return lastedMs > longMs ? Math.max(Math.ceil(grant_size / 2), smallest) : grant_size;
};
