import type { Mark } from '@cardinal/contracts';

/** Numbers of the first grant, and of the largest. */
const [smallest, largest] = [8, 1_000];
/** A grant that lasted shorter than the first is followed by one of twice its size, one that lasted longer than the second by half, ms. */
const [shortMs, longMs] = [10_000, 3_600_000];

/** How far numbers of a workstream may go, and since when. */
export interface Range {
  granted_through: number;
  /** The epoch that it counts for, and what was granted in earlier ones. */
  epoch: number;
  epoch_base: number;
  /** How many numbers were granted at last, and when; of the default workstream also when the first was asked for. */
  grant_size: number | null;
  granted_at: Date | null;
}

/**
 * What database and register know of a range together: the furthest number, in the later epoch. Either may be the one that
 * was set back or lost.
 */
export const rangeKnown = (row: Range, mark: Pick<Mark, 'through' | 'epoch' | 'epoch_base'>): Range => {
  const { epoch, epoch_base } = mark.epoch > row.epoch ? mark : row;
  const { grant_size, granted_at } = row;
  return { granted_through: Math.max(row.granted_through, mark.through), epoch, epoch_base, grant_size, granted_at };
};

/** Whether numbers were issued, so that nothing is adopted any more; a database that fell back may say otherwise. */
export const wasOpened = ({ through, adopting }: Pick<Mark, 'through' | 'adopting'>): boolean =>
  through > 0 && !adopting;

/**
 * Whether a number of a workstream was ever asked for, or may have been, as far as the database knows; an opening counts as
 * that. From then on it adopts no more.
 */
export const wasAsked = ({
  granted_at,
  granted_through,
  adopting,
  epoch_base,
}: Pick<Range, 'granted_at' | 'granted_through' | 'epoch_base'> & { adopting: boolean }): boolean =>
  !adopting && (granted_at !== null || granted_through > epoch_base);

/** What is asked for. */
interface GrantRequest {
  /** The last number that the caller knows of. */
  last_number: number;
  /** The epoch in which it met its database. */
  epoch: number;
  now: Date;
}

/**
 * Decides how far numbers may go (ARCHITECTURE, "Numbers"; ARCHITECTURE, "Lineage"). Asking again extends nothing
 * until half of a grant is used; a range never shrinks. In a later epoch it begins above everything that was ever
 * granted. Grants are sized by use, to keep the gap after a fall small.
 * @param range as the database and the register know it together
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
  if (lastedMs < shortMs) return Math.min(grant_size * 2, largest);
  return lastedMs > longMs ? Math.max(Math.ceil(grant_size / 2), smallest) : grant_size;
};
