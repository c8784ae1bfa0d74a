import { conflict, type createWorkstream, type EventOf, type workstreamChanged } from '@cardinal/contracts';
import { appendEvents } from '@cardinal/db';
import { v7 } from 'uuid';
import { newWorkstream } from '../domain/workstream.ts';
import type { Handler, Parts } from '../parts.ts';
import { insertWorkstream } from '../store/insert-workstream.ts';
import { workstreamEvent } from '../workstreams/event.ts';
import { once } from '../workstreams/once.ts';

/**
 * Makes a workstream.
 * @throws CardinalError `conflict` where the workspace ever had one with this prefix, `MAIN` included
 */
export const createWorkstreamHandler =
  ({ db, mains, announce, now }: Parts): Handler<typeof createWorkstream> =>
  async (request) => {
    const { workspace_id, body } = request;
    await mains.idOf(workspace_id);
    const moment = now();
    const made = newWorkstream({ ...body, id: v7(), now: moment });
    let event: EventOf<typeof workstreamChanged> | undefined;
    const outcome = await db.transaction((tx) =>
      once(tx, request, moment, async () => {
        if (!(await insertWorkstream(tx, workspace_id, made))) {
          throw conflict(`The prefix ${made.prefix} is or was in use`);
        }
        event = workstreamEvent(workspace_id, made, moment);
        await appendEvents(tx, [event]);
        return made;
      }),
    );
    if (event) await announce(event);
    return outcome;
  };
