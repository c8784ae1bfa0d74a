import { notingParts, prepared } from '@cardinal/db';
import type { EdgeRow, Reader } from '../context.ts';
import { changeOfEdge, type EdgeRequest } from './changes.ts';
import { changeEvent } from './queries.ts';

/** The most dependencies of one card (CONTRACT 6.7). The number of its dependents has no limit. */
export const maxDependencies = 1_000;

/** The outcome for a new dependency. */
export type Addition =
  | { result: 'added' | 'there'; edge: EdgeRow }
  /** One of the two cards was deleted meanwhile. */
  | { result: 'gone' }
  /** The card has `maxDependencies` already. */
  | { result: 'full' }
  /** The ids of the cycle's cards. The dependent card is both first and last. */
  | { result: 'cycle'; path: string[] };

/** The outcome for a dependency, by its number from 1, with version and time where it exists. */
type AgreeingEdge = { ordinal: number } & (
  | { result: 'added' | 'there'; version: number; created_at: Date }
  | { result: 'gone' }
  | { result: 'full' }
);

const moment = `to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * Adds dependencies, in order, that agree with the topological order of their workspace. It writes nothing where one
 * contradicts the order, where a card without a position is both a dependent card and a dependency, and where the graph
 * changes meanwhile. Every change of a graph raises the workspace's `last_change`, so a read of the graph is valid
 * while that number is unchanged.
 *
 * $1 the workspace, $2 the dependencies with their internal events and changes, $3 the most dependencies of a card. The
 * statement sets version and time of events and changes. The event's id in a change is the placeholder of its time.
 * @returns a row for each dependency; none where nothing was decided
 */
export const addAgreeingEdges = prepared<AgreeingEdge>(
  'add-agreeing-edges',
  `with touched as materialized (
  select requested.*, card.position as card_position, needed.position as needed_position,
    card.deleted_at is not null or needed.deleted_at is not null as gone,
    edge.version, edge.created_at, counted.dependencies
  from json_to_recordset($2) as requested (
    ordinal integer, card_id uuid, depends_on_card_id uuid, event jsonb,
    change_id uuid, type text, board_id uuid, other_board_id uuid, heard text)
  -- OFFSET 0 is an optimizer fence: each row is found by its key, not by a scan of the workspace.
  left join lateral (
    select * from cards where cards.workspace_id = $1::uuid and cards.id = requested.card_id offset 0
  ) as card on true
  left join lateral (
    select * from cards where cards.workspace_id = $1::uuid and cards.id = requested.depends_on_card_id offset 0
  ) as needed on true
  left join lateral (
    select * from edges
    where edges.workspace_id = $1::uuid and edges.card_id = requested.card_id
      and edges.depends_on_card_id = requested.depends_on_card_id
    offset 0
  ) as edge on true
  cross join lateral (
    select count(*)::integer as dependencies from edges
    where edges.workspace_id = $1::uuid and edges.card_id = requested.card_id
  ) as counted
),
-- Of equal requests in a batch the second one finds the dependency of the first.
fresh as (
  select *, row_number() over (partition by card_id order by ordinal) as nth
  from (
    select distinct on (card_id, depends_on_card_id) * from touched where not gone and version is null
    order by card_id, depends_on_card_id, ordinal
  ) as first_requested
),
added as materialized (
  select *, row_number() over (order by ordinal) as change from fresh where dependencies + nth <= $3::integer
),
-- A card without a position has no dependencies, so it may go to either end: a dependent card after all others, the other card
-- before them. Then few later dependencies go against the order.
newcomers as materialized (
  select card_id as id, row_number() over (order by min(ordinal)) as nth, 1 as side
  from added where card_position is null group by card_id
  union all
  select depends_on_card_id, row_number() over (order by min(ordinal)), -1
  from added where needed_position is null group by depends_on_card_id
),
decided as materialized (
  -- The time of now, not of the beginning of the transaction: lists are sorted by version, and times rise with it.
  select last_change, first_position, last_position, date_trunc('milliseconds', clock_timestamp()) as at,
    (select count(*) from added) as additions
  from workspaces
  where workspace_id = $1::uuid
    and not exists (select from added where needed_position >= card_position)
    and not exists (select from newcomers group by id having count(*) > 1)
),
held as (
  update workspaces set last_change = decided.last_change + decided.additions,
    first_position = decided.first_position - (select count(*) from newcomers where side = -1),
    last_position = decided.last_position + (select count(*) from newcomers where side = 1)
  from decided
  where workspaces.workspace_id = $1::uuid and workspaces.last_change = decided.last_change and decided.additions > 0
  returning decided.*
),
placed as (
  insert into cards (workspace_id, id, position)
  select $1::uuid, id, case side when 1 then last_position + nth else first_position - nth end
  from held cross join newcomers
),
linked as (
  insert into edges (workspace_id, card_id, depends_on_card_id, version, created_at)
  select $1::uuid, card_id, depends_on_card_id, last_change + change, at from held cross join added
),
internal as materialized (
  select change as ordinal, (event ->> 'id')::uuid as id, (event || jsonb_build_object(
    'aggregate_version', last_change + change,
    'occurred_at', ${moment}))::json as event
  from held cross join added
),
news as materialized (
  select change as ordinal, change_id as id, type, card_id, board_id, other_board_id,
    replace(heard, event ->> 'id', ${moment}) as event
  from held cross join added
),
${notingParts('news', { internal: 'internal' })}
select touched.ordinal, case
    when touched.gone then 'gone'
    when added.ordinal = touched.ordinal then 'added'
    when added.ordinal is null and touched.version is null then 'full'
    else 'there'
  end as result,
  coalesce(touched.version, decided.last_change + added.change) as version,
  case when added.ordinal is null then touched.created_at else decided.at end as created_at
from decided
cross join touched
left join added using (card_id, depends_on_card_id)
where decided.additions = 0 or exists (select from held)
order by ordinal`,
);

/**
 * Adds dependencies in one statement, if all agree with the order.
 * @returns the outcome of each, in order; undefined where nothing was decided
 */
export const addAgreeing = async (tx: Reader, workspaceId: string, requests: readonly EdgeRequest[]) => {
  const edges = requests.map((request, index) => {
    const { requestId, card_id, depends_on_card_id } = request;
    const ends = { card_id, depends_on_card_id };
    // The statement sets version and time.
    const event = changeEvent(workspaceId, { ...ends, exists: true, version: 0 }, new Date(0), requestId);
    const { id: change_id, event: heard, ...change } = changeOfEdge('dependency.added', request, event.id);
    return { ordinal: index + 1, ...ends, event, change_id, heard, ...change };
  });
  const rows = await addAgreeingEdges.run(tx, [workspaceId, JSON.stringify(edges), maxDependencies]);
  if (rows.length === 0) return undefined;
  return rows.map((row): Addition => {
    if (row.result === 'gone' || row.result === 'full') return { result: row.result };
    const { card_id, depends_on_card_id } = requests[row.ordinal - 1] as EdgeRequest;
    const { result, version, created_at } = row;
    return { result, edge: { workspace_id: workspaceId, card_id, depends_on_card_id, version, created_at } };
  });
};
