import { prepared } from '@cardinal/db';
import { forEachField } from '../cards/fields.ts';

const fields = forEachField(({ name }) => name);

/**
 * Inserts adopted cards with all their identifiers, and moves the tops of columns and the counters of workstreams. The
 * statement checks nothing: `decide` has checked positions, workstreams and identifiers under the locks of the
 * transaction.
 *
 * $1 the cards, $2 their identifiers, $3 the workspace
 * @returns one row with the number of cards
 */
export const insertAdopted = prepared<{ count: number }>(
  'insert-adopted',
  `with adopted as materialized (
  select * from json_to_recordset($1) as adopted (
    id uuid, version integer, board_id uuid, column_id uuid, position double precision,
    ${forEachField(({ name, type }) => `${name} ${type}`)},
    completed_at timestamptz, archived_at timestamptz, created_by uuid, created_at timestamptz, updated_at timestamptz,
    assignee_user_ids uuid[], label_ids uuid[], workstream_id uuid, identifier text)
),
named as materialized (
  select * from json_to_recordset($2) as named (
    identifier text, workstream_id uuid, card_id uuid, card_version integer, assigned_at timestamptz, assigned_by uuid)
),
made as (
  insert into cards (workspace_id, id, version, board_id, column_id, position, ${fields}, completed_at, archived_at,
    created_by, created_at, updated_at, assignee_user_ids, label_ids, workstream_id, identifier)
  select $3::uuid, id, version, board_id, column_id, position, ${fields}, completed_at, archived_at,
    created_by, created_at, updated_at, assignee_user_ids, label_ids, workstream_id, identifier
  from adopted
),
tops as (
  update columns set top = above.position
  from (select column_id, min(position) as position from adopted group by column_id) as above
  where columns.workspace_id = $3::uuid and columns.id = above.column_id
),
counters as (
  update workstreams set last_number = greatest(workstreams.last_number, highest.number)
  from (
    select workstream_id, max(split_part(identifier, '-', 2)::bigint) as number from named group by workstream_id
  ) as highest
  where workstreams.workspace_id = $3::uuid and workstreams.id = highest.workstream_id
),
new_identifiers as (
  insert into issued (workspace_id, identifier, workstream_id, card_id, card_version, assigned_at, assigned_by)
  select $3::uuid, identifier, workstream_id, card_id, card_version, assigned_at, assigned_by from named
)
select count(*)::integer as count from adopted`,
);
