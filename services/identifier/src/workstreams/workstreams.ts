import * as contracts from '@cardinal/contracts';
import { conflict, requireFound, requireVersion } from '@cardinal/contracts';
import { appendEvents, type Outcome, runIdempotently } from '@cardinal/db';
import { openPage, sortKey } from '@cardinal/runtime';
import { v7 } from 'uuid';
import type { z } from 'zod';
import type { ServiceContext } from '../context.ts';
import { announce, workstreamEvent } from './announce.ts';
import { archive, finishArchive } from './archive.ts';
import type { DefaultWorkstreams } from './defaults.ts';
import {
  getWorkstream,
  insertWorkstream,
  listWorkstreams,
  lockWorkstream,
  toWorkstream,
  updateWorkstream,
} from './queries.ts';
import { editWorkstream, newWorkstream } from './rules.ts';

type PatchRequest = z.output<typeof contracts.patchWorkstream.request>;

/** Workstreams: their names, and their end. */
export const serveWorkstreams = (context: ServiceContext, defaults: DefaultWorkstreams): void => {
  const { bus, db, now } = context;

  /** 409 where the workspace ever had one with this prefix, `MAIN` included. */
  bus.serve(contracts.createWorkstream, async (request) => {
    const { workspace_id, body } = request;
    await defaults.idOf(workspace_id);
    const moment = now();
    const made = newWorkstream({ ...body, id: v7(), now: moment });
    const event = workstreamEvent(workspace_id, made, moment);
    const outcome = await db.transaction((tx) =>
      runIdempotently(tx, request, moment, async () => {
        const isNew = await insertWorkstream(tx, workspace_id, made);
        if (!isNew) throw conflict(`The prefix ${made.prefix} is or was in use`);
        await appendEvents(tx, [event]);
        return made;
      }),
    );
    if (!outcome.replayed) await announce(context, event);
    return outcome;
  });

  bus.serve(contracts.getWorkstream, async ({ workspace_id, workstream_id }) =>
    requireFound('Workstream', await db.read((tx) => getWorkstream(tx, workspace_id, workstream_id))),
  );

  /** The active ones or the archived ones, in the order of their making. */
  bus.serve(contracts.listWorkstreams, async (request) => {
    const { workspace_id, archived } = request;
    const page = openPage(['workstreams', workspace_id, archived], [sortKey.moment, sortKey.id], request.page);
    await defaults.idOf(workspace_id);
    const rows = await db.read((tx) => listWorkstreams(tx, request, page));
    return page.cut(rows, toWorkstream, (row) => [row.created_at.toISOString(), row.id]);
  });

  bus.serve(contracts.patchWorkstream, (request) => edit(context, request));

  bus.serve(contracts.archiveWorkstream, (request) => archive(context, request));
};

/**
 * Edits name and description. The order of the checks is 404, replay, 412 (api-decisions, "Requests, responses, errors");
 * an archive under way comes first, and what it makes of the version decides on this edit.
 */
const edit = async (context: ServiceContext, request: PatchRequest): Promise<Outcome<contracts.Workstream>> => {
  const { workspace_id, workstream_id } = request;
  const now = context.now();
  const done = await context.db.transaction(async (tx) => {
    const { workstream: current, closing } = requireFound(
      'Workstream',
      await lockWorkstream(tx, workspace_id, workstream_id),
    );
    if (closing !== null) return undefined;
    const outcome = await runIdempotently(tx, request, now, async () => {
      requireVersion(current, request.if_match);
      return editWorkstream(current, request.body, now);
    });
    if (outcome.replayed || outcome.resource === current) return { outcome };
    const event = workstreamEvent(workspace_id, outcome.resource, now);
    await updateWorkstream(tx, workspace_id, outcome.resource);
    await appendEvents(tx, [event]);
    return { outcome, event };
  });
  if (!done) {
    await finishArchive(context, request);
    return edit(context, request);
  }
  await announce(context, done.event);
  return done.outcome;
};
