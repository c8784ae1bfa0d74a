import type { Caller, EventType } from '@cardinal/contracts';
import type { ChangeDetails } from '@cardinal/db';

/** The fields of every versioned resource. */
interface Resource {
  type: string;
  id: string;
  version: number;
  updated_at: string;
}

/** The resource before and after: without `before` it is new, without `data` deleted. */
interface Happened extends Pick<ChangeDetails, 'card' | 'boardId' | 'otherBoardId'> {
  before?: Resource;
  data?: Resource;
}

/**
 * The event of a write (CONTRACT 9.1). A delete counts as one more version, so that it is newer than
 * everything that was published of the resource.
 */
export const eventOf = (
  type: EventType,
  by: Caller,
  now: Date,
  { before, data, ...where }: Happened,
): ChangeDetails => {
  const { type: what = '', id = '', version = 0 } = data ?? before ?? {};
  return {
    type,
    by,
    ...where,
    data: data ?? null,
    at: data?.updated_at ?? now,
    ...(before && { before }),
    subject: { type: what, id, version: data ? version : version + 1 },
  };
};
