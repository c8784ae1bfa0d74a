import * as contracts from '@cardinal/contracts';
import { conflict, requireFound } from '@cardinal/contracts';
import { runIdempotently } from '@cardinal/db';
import { openPage, sortKey } from '@cardinal/runtime';
import { runWrite } from '@cardinal/service';
import { v7 } from 'uuid';
import { type ServiceContext, workstreams } from '../context.ts';
import { archive, lockUnlessClosing } from './archive.ts';
import { announce, storeChange, storeNew } from './changes.ts';
import type { DefaultWorkstreams } from './defaults.ts';
import { listWorkstreams, toWorkstream } from './queries.ts';
import { editWorkstream, newWorkstream } from './rules.ts';

/** Workstreams: their names, and their end. */
export const serveWorkstreams = (context: ServiceContext, defaults: DefaultWorkstreams): void => {
  const { bus, db, now } = context;

  /** 409 where the workspace ever had one with this prefix, `MAIN` included. */
  bus.serve(contracts.createWorkstream, async (request) => {
    const { workspace_id, body } = request;
    await defaults.idOf(workspace_id);
    const moment = now();
    const made = newWorkstream({ ...body, id: v7(), now: moment });
    let event: Parameters<typeof announce>[1];
    const outcome = await db.transaction((tx) =>
      runIdempotently(tx, request, moment, async () => {
        event = await storeNew(tx, workspace_id, made, moment);
        if (!event) throw conflict(`The prefix ${made.prefix} is or was in use`);
        return made;
      }),
    );
    await announce(context, event);
    return outcome;
  });

  bus.serve(contracts.getWorkstream, async ({ workspace_id, workstream_id }) =>
    toWorkstream(requireFound('Workstream', await db.read((tx) => workstreams.find(tx, workspace_id, workstream_id)))),
  );

  /** The active ones or the archived ones, in the order of their making. */
  bus.serve(contracts.listWorkstreams, async (request) => {
    const { workspace_id, archived } = request;
    const page = openPage(['workstreams', workspace_id, archived], [sortKey.moment, sortKey.id], request.page);
    await defaults.idOf(workspace_id);
    const rows = await db.read((tx) => listWorkstreams(tx, request, page));
    return page.cut(rows, toWorkstream, (row) => [row.created_at.toISOString(), row.id]);
  });

  /** An archive under way comes first, and what it makes of the version decides on the edit. */
  bus.serve(contracts.patchWorkstream, async (request) => {
    let event: Parameters<typeof announce>[1];
    const outcome = await runWrite(context, request, {
      what: 'Workstream',
      lock: (tx) => lockUnlessClosing(tx, context, request),
      write: async (tx, { workstream }, moment) => {
        const edited = editWorkstream(workstream, request.body, moment);
        if (edited !== workstream) event = await storeChange(tx, request.workspace_id, edited, moment);
        return edited;
      },
    });
    await announce(context, event);
    return outcome;
  });

  bus.serve(contracts.archiveWorkstream, (request) => archive(context, request));
};
