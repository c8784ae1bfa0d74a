import type { Caller, EventType } from '@cardinal/contracts';
import type { ChangeDetails } from '@cardinal/db';

/** The fields of every versioned resource. */
interface Resource {
  type: string;
  id: string;
  version: number;
  updated_at: string;
}

/** A resource before and after a write. A new resource has no `before`, a deleted one no `data`. */
interface Happened extends Pick<ChangeDetails, 'card' | 'boardId' | 'otherBoardId'> {
  before?: Resource;
  data?: Resource;
}

/**
 * Makes the event of a write (CONTRACT 9.1). A delete counts as one more version, so its event is newer than all
 * earlier events of the resource.
 * @param by the user that made the write
 * @param now the time of a delete; other events have the time of the update
 * @returns the details of the change, for the feed
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
