import { type grant as contract, type Grant, notFound } from '@cardinal/contracts';
import { failpoint } from '@cardinal/runtime';
import type { z } from 'zod';
import { grantOf } from '../ledger/grant.ts';
import { highestNumber } from '../ledger/ledger.ts';
import type { Handler, Parts } from '../parts.ts';
import { lockWorkstream } from '../store/lock-workstream.ts';
import { extendRange } from '../store/update-workstream.ts';
import { finishArchive } from '../workstreams/archive.ts';

/**
 * Lets the card service issue more numbers of a workstream. One that is being archived is archived first, so that the
 * answer is its last word.
 * @throws CardinalError `not_found`; `unavailable` where an archive cannot be finished now
 */
export const grantHandler =
  (parts: Parts): Handler<typeof contract> =>
  async (request) => {
    const { workspace_id } = request;
    const workstream_id = request.workstream_id ?? (await parts.mains.idOf(workspace_id));
    for (;;) {
      const granted = await extend(parts, { ...request, workstream_id });
      if (granted) {
        failpoint('after-grant');
        return granted;
      }
      await finishArchive(parts, { workspace_id, workstream_id });
    }
  };

/** Undefined where the workstream is being archived. */
const extend = (
  { db }: Pick<Parts, 'db'>,
  { workspace_id, workstream_id, last_number }: z.output<typeof contract.request> & { workstream_id: string },
): Promise<Grant | undefined> =>
  db.transaction(async (tx) => {
    const locked = await lockWorkstream(tx, workspace_id, workstream_id);
    if (!locked) throw notFound('Workstream');
    const { workstream, granted_through, closing } = locked;
    if (closing !== null) return undefined;
    const highest_number = await highestNumber(tx, workspace_id, workstream.prefix);
    const granted = grantOf({ workstream, granted_through, highest_number, last_number });
    if (granted.granted_through > granted_through) {
      await extendRange(tx, workspace_id, workstream_id, granted.granted_through);
    }
    return granted;
  });
