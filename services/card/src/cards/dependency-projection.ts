import { dependencyChanged, type InternalEventOf, projectDependency, readEdges } from '@cardinal/contracts';
import { commitsWithoutDisk, prepared } from '@cardinal/db';
import { coalesce } from '@cardinal/runtime';
import { comparePages, type Projection } from '@cardinal/service';
import { sql } from 'kysely';
import { NIL } from 'uuid';
import type { ServiceContext } from '../context.ts';
import type { Reader, RowOf } from '../database.ts';

/** The state of a dependency, from the dependency service. Its version is the number of the change that led to it. */
type DependencyUpdate = RowOf<'card_dependencies'>;

/**
 * Stores states of dependencies where they are newer than the stored ones. Versions make the statement idempotent. A
 * removed dependency leaves a tombstone, so that an older update does not restore it.
 *
 * The statement locks rows in the order of their keys, as the deletion of a card does. Its commit does not wait for the
 * disk: the position in the feed is committed after it, so a crash that loses the update loses the position too.
 *
 * $1 the updates
 * @returns the updates that were newer
 */
export const projectDependencies = prepared<DependencyUpdate>(
  'project-dependencies',
  `insert into card_dependencies (workspace_id, card_id, depends_on_card_id, version, present)
-- Of several updates of one dependency the latest one counts.
select distinct on (workspace_id, card_id, depends_on_card_id) workspace_id, card_id, depends_on_card_id, version, present
from json_to_recordset($1) as news (
  workspace_id uuid, card_id uuid, depends_on_card_id uuid, version bigint, present boolean)
-- Most updates come twice, by request and by feed; the second one needs no lock.
where ${commitsWithoutDisk} and not coalesce((
  select known.version >= news.version from card_dependencies as known
  where known.workspace_id = news.workspace_id and known.card_id = news.card_id
    and known.depends_on_card_id = news.depends_on_card_id), false)
order by workspace_id, card_id, depends_on_card_id, version desc
on conflict (workspace_id, card_id, depends_on_card_id) do update
  set version = excluded.version, present = excluded.present
  where card_dependencies.version < excluded.version
returning workspace_id, card_id, depends_on_card_id, version, present`,
);

/** Dependencies per page of the comparison with the owner. */
const edgesAtOnce = 1_000;

/**
 * Creates the projection of dependencies (ARCHITECTURE, "Projections"). Look-ups count them, and lists filter by
 * `blocked`. Updates that arrive together share a statement.
 */
export const projectEdges = ({ bus, db }: ServiceContext): Projection => {
  const store = (updates: readonly DependencyUpdate[]) =>
    db.statement((tx) => projectDependencies.run(tx, [JSON.stringify(updates)]));

  const handedOver = coalesce<DependencyUpdate, boolean>({
    name: 'dependency_events',
    run: async (batch) => {
      const newer = await store(batch);
      const applied = new Set(newer.map(keyOf));
      return batch.map((update) => applied.delete(keyOf(update)));
    },
  });
  bus.serve(projectDependency, async (event) => ({ applied: await handedOver.submit(updateOf(event)) }));

  return {
    owner: 'dependency',
    take: async (events) => {
      const updates = events.flatMap((event) =>
        event.type === dependencyChanged.type ? [updateOf(dependencyChanged.schema.parse(event))] : [],
      );
      if (updates.length > 0) await store(updates);
    },
    rebuildPage: comparePages<DependencyUpdate, Edge & { version: number }, { last_change: number }>({
      atOnce: edgesAtOnce,
      keyOf: endsOf,
      rowsAfter: (workspaceId, after) => db.read((tx) => listStored(tx, workspaceId, edgeOf(after))),
      ask: async ({ workspace_id, after, through }) => {
        const range = { workspace_id, after: edgeOf(after), through: edgeOf(through) };
        const { edges: states, next, last_change } = await bus.call(readEdges, range);
        return { states, next: next && endsOf(next), last_change };
      },
      mend: async (workspace_id, rows, { states, last_change }) => {
        const corrections = rows.flatMap(([row, edge]): Correction[] => {
          const seen = { ...row, seen_version: row.version, seen_present: row.present };
          if (!edge) {
            const isRight = !row.present && row.version <= last_change;
            return isRight ? [] : [{ ...seen, version: last_change, present: false }];
          }
          const isRight = row.version < edge.version || (row.version === edge.version && row.present);
          return isRight ? [] : [{ ...seen, version: edge.version, present: true }];
        });
        if (corrections.length > 0) await db.statement((tx) => correct.run(tx, [JSON.stringify(corrections)]));
        const updates = states.map((edge) => ({ workspace_id, ...edge, present: true }));
        if (updates.length > 0) await store(updates);
      },
    }),
  };
};

type Edge = Pick<DependencyUpdate, 'card_id' | 'depends_on_card_id'>;
/** The correct state of a row, to store if the row is still as it was read. */
type Correction = DependencyUpdate & { seen_version: number; seen_present: boolean };

const updateOf = (event: InternalEventOf<typeof dependencyChanged>): DependencyUpdate => {
  const { exists: present, ...ends } = event.data;
  return { workspace_id: event.workspace_id, ...ends, version: event.aggregate_version, present };
};

const endsOf = ({ card_id, depends_on_card_id }: Edge) => `${card_id}>${depends_on_card_id}`;
const edgeOf = (ends: string | null): Edge | null => {
  const [card_id, depends_on_card_id] = ends?.split('>') ?? [];
  return card_id && depends_on_card_id ? { card_id, depends_on_card_id } : null;
};
const keyOf = (update: DependencyUpdate) => `${endsOf(update)}@${update.version}`;

const listStored = (tx: Reader, workspaceId: string, after: Edge | null): Promise<DependencyUpdate[]> => {
  const first = sql<boolean>`
    (card_id, depends_on_card_id) > (${after?.card_id ?? NIL}::uuid, ${after?.depends_on_card_id ?? NIL}::uuid)`;
  const all = tx.selectFrom('card_dependencies').selectAll().where('workspace_id', '=', workspaceId);
  return all.where(first).orderBy('card_id').orderBy('depends_on_card_id').limit(edgesAtOnce).execute();
};

/**
 * Stores the owner's states of dependencies although they are not newer. A dependency is restored only where both its
 * cards exist: the owner may not have received the deletion of a card yet.
 *
 * $1 the corrections
 */
const correct = prepared(
  'correct-dependencies',
  `with said as (
  select said.* from json_to_recordset($1) as said (
    workspace_id uuid, card_id uuid, depends_on_card_id uuid, version bigint, present boolean,
    seen_version bigint, seen_present boolean)
  where not said.present or 2 = (
    select count(*) from cards
    where cards.workspace_id = said.workspace_id and cards.id in (said.card_id, said.depends_on_card_id))
),
untouched as materialized (
  select own.workspace_id, own.card_id, own.depends_on_card_id
  from card_dependencies as own
  join said using (workspace_id, card_id, depends_on_card_id)
  where (own.version, own.present) = (seen_version, seen_present)
  order by own.workspace_id, own.card_id, own.depends_on_card_id
  for update of own
)
update card_dependencies as own set version = said.version, present = said.present
from said join untouched using (workspace_id, card_id, depends_on_card_id)
where (own.workspace_id, own.card_id, own.depends_on_card_id) = (said.workspace_id, said.card_id, said.depends_on_card_id)
  and (own.version, own.present) = (seen_version, seen_present)`,
);
