import { grant as contract, requireFound } from '@cardinal/contracts';
import { failpoint } from '@cardinal/runtime';
import { untilUpToDate } from '@cardinal/service';
import type { ServiceContext } from '../context.ts';
import { lockUnlessClosing } from '../workstreams/archive.ts';
import type { DefaultWorkstreams } from '../workstreams/defaults.ts';
import { toWorkstream, updateWorkstream } from '../workstreams/queries.ts';
import { highestNumber } from './queries.ts';
import { grantOf } from './rules.ts';

/**
 * Lets the card service issue more numbers of a workstream. One that is being archived is archived first, so that the
 * answer is its last word; 503 where that cannot be done now.
 */
export const serveGrants = (context: ServiceContext, idOfDefault: DefaultWorkstreams): void =>
  context.bus.serve(contract, async ({ workspace_id, workstream_id, last_number }) => {
    const key = { workspace_id, workstream_id: workstream_id ?? (await idOfDefault(workspace_id)) };
    const extend = () =>
      context.db.transaction(async (tx) => {
        const row = requireFound('Workstream', await lockUnlessClosing(tx, context, key));
        const { prefix, granted_through } = row;
        const highest_number = await highestNumber(tx, workspace_id, prefix);
        const granted = grantOf({ workstream: toWorkstream(row), granted_through, highest_number, last_number });
        if (granted.granted_through > granted_through) {
          await updateWorkstream(tx, key, { granted_through: granted.granted_through });
        }
        return granted;
      });
    const granted = await untilUpToDate(extend);
    failpoint('after-grant');
    return granted;
  });
