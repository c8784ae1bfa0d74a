import { grant as contract, type Grant, requireFound } from '@cardinal/contracts';
import { failpoint } from '@cardinal/runtime';
import type { z } from 'zod';
import type { ServiceContext } from '../context.ts';
import { finishArchive } from '../workstreams/archive.ts';
import type { DefaultWorkstreams } from '../workstreams/defaults.ts';
import { extendRange, lockWorkstream } from '../workstreams/queries.ts';
import { highestNumber } from './queries.ts';
import { grantOf } from './rules.ts';

/**
 * Lets the card service issue more numbers of a workstream. One that is being archived is archived first, so that the
 * answer is its last word; 503 where that cannot be done now.
 */
export const serveGrants = (context: ServiceContext, defaults: DefaultWorkstreams): void =>
  context.bus.serve(contract, async (request) => {
    const { workspace_id } = request;
    const workstream_id = request.workstream_id ?? (await defaults.idOf(workspace_id));
    for (;;) {
      const granted = await extend(context, { ...request, workstream_id });
      if (granted) {
        failpoint('after-grant');
        return granted;
      }
      await finishArchive(context, { workspace_id, workstream_id });
    }
  });

/** Undefined where the workstream is being archived. */
const extend = (
  { db }: ServiceContext,
  { workspace_id, workstream_id, last_number }: z.output<typeof contract.request> & { workstream_id: string },
): Promise<Grant | undefined> =>
  db.transaction(async (tx) => {
    const locked = requireFound('Workstream', await lockWorkstream(tx, workspace_id, workstream_id));
    const { workstream, granted_through, closing } = locked;
    if (closing !== null) return undefined;
    const highest_number = await highestNumber(tx, workspace_id, workstream.prefix);
    const granted = grantOf({ workstream, granted_through, highest_number, last_number });
    if (granted.granted_through > granted_through) {
      await extendRange(tx, workspace_id, workstream_id, granted.granted_through);
    }
    return granted;
  });
