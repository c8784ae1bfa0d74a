import { prepared } from '@cardinal/db';
import type { EdgeRow, Tx } from '../context.ts';
import { stateOfRequested } from './agreeing-edges.ts';
import type { ChangeEvent } from './events.ts';
import { lockWorkspace } from './queries.ts';
import type { Bounds, CardPosition, Edge } from './rules.ts';

/** What a workspace's graph holds of a requested dependency and of its ends. */
interface TouchedRow {
  /** Which of the requested ones, from 1. */
  ordinal: number;
  now: Date;
  last_change: number;
  first_position: number;
  last_position: number;
  card_position: number | null;
  card_deleted: boolean;
  needed_position: number | null;
  needed_deleted: boolean;
  /** Those of the dependency, null where there is none. */
  version: number | null;
  created_at: Date | null;
  /** How many cards the dependent card depends on. */
  dependencies: number;
}

/**
 * Reads what requested dependencies touch, under the workspace's lock; the time is one after all changes before.
 *
 * $1 the workspace, $2 the dependencies, in JSON: of an SQL array the planner would count the elements, and plan anew
 */
export const readGraph = prepared<TouchedRow>(
  'read-graph',
  `select requested.ordinal, date_trunc('milliseconds', clock_timestamp()) as now,
  workspaces.last_change, workspaces.first_position, workspaces.last_position,
  card.position as card_position, card.deleted_at is not null as card_deleted,
  needed.position as needed_position, needed.deleted_at is not null as needed_deleted,
  edge.version, edge.created_at, counted.dependencies
from workspaces
cross join json_to_recordset($2) as requested (ordinal integer, card_id uuid, depends_on_card_id uuid)
${stateOfRequested}
where workspaces.workspace_id = $1::uuid`,
);

/**
 * Writes what changed in a graph, with its events, under the workspace's lock.
 *
 * $1 the workspace, $2 its last change now, $3 and $4 the bounds of the order, $5 places, $6 new dependencies, $7 events
 */
export const writeGraph = prepared<{ workspace_id: string }>(
  'write-graph',
  `with held as (
  update workspaces set last_change = $2::bigint, first_position = $3::bigint, last_position = $4::bigint
  where workspace_id = $1::uuid
  returning workspace_id
),
placed as (
  insert into cards (workspace_id, id, position)
  select workspace_id, id, position from held cross join json_to_recordset($5) as card (id uuid, position bigint)
  on conflict (workspace_id, id) do update set position = excluded.position
),
linked as (
  insert into edges (workspace_id, card_id, depends_on_card_id, version, created_at)
  select workspace_id, card_id, depends_on_card_id, version, created_at
  from held cross join json_to_recordset($6) as edge (
    card_id uuid, depends_on_card_id uuid, version bigint, created_at timestamptz)
),
appended as (
  insert into outbox (id, workspace_id, subject, event)
  select (event ->> 'id')::uuid, workspace_id, 'evt.' || (event ->> 'type'), event
  from held cross join jsonb_array_elements($7) as event
)
select workspace_id from held`,
);

const keyOf = ({ card_id, depends_on_card_id }: Edge) => `${card_id}>${depends_on_card_id}`;

/** A locked workspace's graph, as far as some dependencies touch it; what changes is written together. */
export type LockedGraph = Awaited<ReturnType<typeof lockGraph>>;

/** Locks a workspace's graph and reads what dependencies touch of it, at least one. */
export const lockGraph = async (tx: Tx, workspaceId: string, touched: readonly Edge[]) => {
  await lockWorkspace(tx, workspaceId);
  const asked = touched.map(({ card_id, depends_on_card_id }, index) => ({
    ordinal: index + 1,
    card_id,
    depends_on_card_id,
  }));
  const rows = await readGraph.run(tx, [workspaceId, JSON.stringify(asked)]);
  const first = rows[0] as TouchedRow;
  const { now } = first;
  const cards = new Map<string, { position: number | undefined; deleted: boolean }>();
  const edges = new Map<string, EdgeRow>();
  const counts = new Map<string, number>();
  for (const row of rows) {
    const { card_id, depends_on_card_id } = touched[row.ordinal - 1] as Edge;
    cards.set(card_id, { position: row.card_position ?? undefined, deleted: row.card_deleted });
    cards.set(depends_on_card_id, { position: row.needed_position ?? undefined, deleted: row.needed_deleted });
    counts.set(card_id, row.dependencies);
    if (row.version === null || row.created_at === null) continue;
    const ends = { workspace_id: workspaceId, card_id, depends_on_card_id };
    edges.set(keyOf(ends), { ...ends, version: row.version, created_at: row.created_at });
  }
  let bounds: Bounds = { first: first.first_position, last: first.last_position };
  let lastChange = first.last_change;
  let written = lastChange;
  const newPositions = new Map<string, number>();

  return {
    workspaceId,
    /** When it was read, as the database's clock tells. */
    now,
    isDeleted: (cardId: string): boolean => cards.get(cardId)?.deleted ?? false,
    /** Undefined for a card that is not in the order. */
    position: (cardId: string): number | undefined => cards.get(cardId)?.position,
    edge: (edge: Edge): EdgeRow | undefined => edges.get(keyOf(edge)),
    /** How many cards a dependent card of the dependencies touched depends on. */
    dependenciesOf: (cardId: string): number => counts.get(cardId) ?? 0,
    bounds: (): Bounds => bounds,
    setPositions: (positions: readonly CardPosition[], next: Bounds): void => {
      bounds = next;
      for (const { id, position } of positions) {
        if (cards.get(id)?.position === position) continue;
        cards.set(id, { position, deleted: false });
        newPositions.set(id, position);
      }
    },
    add: ({ card_id, depends_on_card_id }: Edge): EdgeRow => {
      lastChange += 1;
      const ends = { workspace_id: workspaceId, card_id, depends_on_card_id };
      const edge: EdgeRow = { ...ends, version: lastChange, created_at: now };
      edges.set(keyOf(edge), edge);
      counts.set(card_id, (counts.get(card_id) ?? 0) + 1);
      return edge;
    },
    /** Writes what changed since it was read or last written. */
    write: async (events: readonly ChangeEvent[] = []): Promise<void> => {
      if (lastChange === written && events.length === 0) return;
      const newEdges = [...edges.values()].filter(({ version }) => version > written);
      const positions = [...newPositions].map(([id, position]) => ({ id, position }));
      const lists = [positions, newEdges, events].map((list) => JSON.stringify(list));
      await writeGraph.run(tx, [workspaceId, lastChange, bounds.first, bounds.last, ...lists]);
      written = lastChange;
      newPositions.clear();
    },
  };
};
