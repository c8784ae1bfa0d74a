import { projectWorkstream, readWorkstreamStates, type WorkstreamState, workstreamChanged } from '@cardinal/contracts';
import { comparePages, type Projection } from '@cardinal/service';
import { sql } from 'kysely';
import { NIL } from 'uuid';
import type { ServiceContext } from '../context.ts';
import type { Reader, RowOf } from '../database.ts';
import { writeRange } from './ranges.ts';

/** Workstreams per page of the comparison with the owner. */
const workstreamsAtOnce = 50;

/** Creates the projection of workstreams: their names, prefixes and archival (ARCHITECTURE, "Projections"). */
export const projectWorkstreams = ({ bus, db }: ServiceContext): Projection => {
  const project = (workspaceId: string, state: WorkstreamState) =>
    db.statement((tx) => writeRange(() => storeNewer(tx, workspaceId, state)));

  bus.serve(projectWorkstream, async ({ workspace_id, data }) => ({ applied: await project(workspace_id, data) }));

  return {
    owner: 'identifier',
    take: async (events) => {
      for (const event of events) {
        if (event.type !== workstreamChanged.type) continue;
        await project(event.workspace_id, workstreamChanged.schema.parse(event).data);
      }
    },
    rebuildPage: comparePages<Stored, WorkstreamState>({
      atOnce: workstreamsAtOnce,
      keyOf: ({ id }) => id,
      rowsAfter: (workspaceId, after) => db.read((tx) => listStored(tx, workspaceId, after)),
      ask: async (range) => {
        const { workstreams: states, next } = await bus.call(readWorkstreamStates, range);
        return { states, next };
      },
      mend: async (workspaceId, rows, { states }) => {
        for (const [row, state] of rows) {
          if (!state) await db.statement((tx) => removeUnused(tx, row));
          else if (row.version >= state.version && differs(row, state))
            await db.statement((tx) => replace(tx, row, state));
        }
        for (const state of states) await project(workspaceId, state);
      },
    }),
  };
};

type Stored = Pick<RowOf<'workstreams'>, 'workspace_id' | 'id' | 'version' | 'name' | 'prefix' | 'closed'>;

const differs = (row: Stored, { version, name, prefix, archived_at }: WorkstreamState): boolean =>
  row.version !== version || row.name !== name || row.prefix !== prefix || (archived_at !== null && !row.closed);

/**
 * Stores a workstream as the identifier service reports it, if that is newer than the stored state. The range of an
 * archived workstream is closed too: after a restore of this database it can be open.
 * @returns whether the state was newer
 */
const storeNewer = async (
  tx: Reader,
  workspaceId: string,
  { id, version, name, prefix, archived_at }: WorkstreamState,
): Promise<boolean> => {
  const { numAffectedRows } = await sql`
    insert into workstreams (workspace_id, id, version, name, prefix, closed)
    values (${workspaceId}, ${id}, ${version}, ${name}, ${prefix}, ${archived_at !== null})
    on conflict (workspace_id, id) do update
    set version = excluded.version, name = excluded.name, closed = workstreams.closed or excluded.closed
    where workstreams.version < excluded.version`.execute(tx);
  return numAffectedRows === 1n;
};

const listStored = (tx: Reader, workspaceId: string, after: string | null): Promise<Stored[]> =>
  tx
    .selectFrom('workstreams')
    .select(['workspace_id', 'id', 'version', 'name', 'prefix', 'closed'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '>', after ?? NIL)
    .orderBy('id')
    .limit(workstreamsAtOnce)
    .execute();

/**
 * Stores the owner's state of a workstream although it is not newer, where the row has not changed since the
 * comparison.
 */
const replace = (tx: Reader, row: Stored, { version, name, archived_at }: WorkstreamState) =>
  sql`
    update workstreams set version = ${version}, name = ${name}, closed = closed or ${archived_at !== null}
    where workspace_id = ${row.workspace_id} and id = ${row.id}
      and version = ${row.version} and name = ${row.name}`.execute(tx);

/** Removes a workstream that its owner does not know, unless a card, a board or an issued number refers to it. */
const removeUnused = (tx: Reader, { workspace_id, id }: Stored) =>
  sql`
    delete from workstreams where workspace_id = ${workspace_id} and id = ${id} and last_number = 0
      and not exists (select from cards where cards.workspace_id = ${workspace_id} and workstream_id = ${id})
      and not exists (select from boards where boards.workspace_id = ${workspace_id} and default_workstream_id = ${id})
  `.execute(tx);
