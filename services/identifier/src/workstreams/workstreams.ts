import * as contracts from '@cardinal/contracts';
import { CardinalError, conflict, mainPrefix, requireFound } from '@cardinal/contracts';
import { readPageRows } from '@cardinal/db';
import { openPage, sortKey } from '@cardinal/runtime';
import { runCreate, runWrite } from '@cardinal/service';
import { MAX, NIL } from 'uuid';
import type { ServiceContext } from '../context.ts';
import { workstreams } from '../database.ts';
import { adoptInDefault, type DefaultWorkstreams } from './defaults.ts';
import { archive, lockUnlessEnding, open } from './endings.ts';
import { announce, changeTo, storeChange, storeNew, toWorkstream } from './queries.ts';

/** Workstreams per page for projections. */
const statesAtOnce = 50;

/** Serves workstreams: create, read, edit, archive and open. */
export const serveWorkstreams = (context: ServiceContext, idOfDefault: DefaultWorkstreams): void => {
  const { bus, db, lineage, marks } = context;

  /**
   * 409 where the workspace ever had one with this prefix, except for `MAIN` where it begins to adopt. One that was
   * lost in a rollback is created again as it was: where numbers were issued nothing may be adopted any more, and vice
   * versa.
   */
  bus.serve(contracts.createWorkstream, async (request) => {
    const { workspace_id, user_id, body, is_admin } = request;
    const { adopting = false } = body;
    if (adopting && !is_admin) {
      throw new CardinalError('insufficient_scope', 'A workstream that adopts takes the scope kanban:admin');
    }
    const id = await idOfDefault(workspace_id, user_id);
    if (adopting && body.prefix === mainPrefix) return adoptInDefault(context, request, id);
    const before = await marks.reserve(workspace_id, body.prefix, adopting, await lineage.beginningOfNew());
    const outcome = await runCreate(
      context,
      request,
      async (tx) => {
        const made = await storeNew(tx, workspace_id, body, before);
        if (!made) throw conflict(`The prefix ${body.prefix} is or was in use`);
        if (before.through > 0 && before.adopting !== adopting) {
          throw conflict(
            `Identifiers with the prefix ${body.prefix} were ${before.adopting ? 'adopted' : 'issued'} before`,
          );
        }
        return made;
      },
      (made) => changeTo('workstream.created', request, made),
    );
    await announce(context, workspace_id, outcome.resource);
    return outcome;
  });

  bus.serve(contracts.getWorkstream, async ({ workspace_id, workstream_id }) =>
    toWorkstream(requireFound('Workstream', await db.read((tx) => workstreams.find(tx, workspace_id, workstream_id)))),
  );

  bus.serve(contracts.listWorkstreams, async (request) => {
    const { workspace_id, archived, prefix } = request;
    const narrowed = prefix === undefined ? [] : [prefix];
    const page = openPage(
      ['workstreams', workspace_id, archived, ...narrowed],
      [sortKey.moment, sortKey.id],
      request.page,
    );
    await idOfDefault(workspace_id, request.user_id);
    // The default one comes first, as it was created first.
    const rows = await db.read((tx) =>
      readPageRows(
        tx,
        workstreams
          .in(tx, workspace_id)
          .where('archived_at', archived ? 'is not' : 'is', null)
          .$if(prefix !== undefined, (query) => query.where('prefix', '=', prefix ?? '')),
        { by: ['created_at', 'id'], ...page, texts: ['description'] },
      ),
    );
    return page.cut(rows, toWorkstream, (row) => [row.created_at.toISOString(), row.id]);
  });

  bus.serve(contracts.readWorkstreamStates, async ({ workspace_id, after, through }) => {
    const rows = await db.read((tx) =>
      workstreams
        .in(tx, workspace_id)
        .where('id', '>', after ?? NIL)
        .where('id', '<=', through ?? MAX)
        .orderBy('id')
        .limit(statesAtOnce)
        .execute(),
    );
    return { workstreams: rows.map(toWorkstream), next: rows.length < statesAtOnce ? null : (rows.at(-1)?.id ?? null) };
  });

  /** A pending archive or opening is finished first, and the edit is checked against the version after it. */
  bus.serve(contracts.patchWorkstream, async (request) => {
    const outcome = await runWrite(context, request, {
      what: 'Workstream',
      lock: (tx) => lockUnlessEnding(tx, context, request),
      write: (tx, row, moment) => storeChange(tx, row, request.body, moment),
      event: (row, changed) => changeTo('workstream.updated', request, changed, toWorkstream(row)),
    });
    await announce(context, request.workspace_id, outcome.resource);
    return outcome;
  });

  bus.serve(contracts.archiveWorkstream, (request) => archive(context, request));
  bus.serve(contracts.openWorkstream, (request) => open(context, request));
};
