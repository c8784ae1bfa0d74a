import { mainPrefix } from '@cardinal/contracts';
import { prepared } from '@cardinal/db';
import { visibleTo } from '../../boards/queries.ts';
import type { Written } from '../batch.ts';
import { forEachField, type WritableFieldName } from '../fields.ts';
import { assumedFew, joinByKey, lockByKey } from '../queries.ts';
import { cardDocument, issuedIdentifier } from './card-document.ts';
import { type EventOrigin, feedParts } from './card-feed.ts';

/** A card to create, in the format of the statement: the command, and the values that SQL cannot generate. */
export interface CardToCreate extends Record<WritableFieldName, string | null>, EventOrigin {
  seq: number;
  card_id: string;
  column_id: string;
  user_id: string;
  /** The workstream that the request names. */
  named: string | null;
  /** The workstream that this process expects. Where the statement finds another one, it makes no card. */
  expected: string;
  command_id: string;
  fingerprint: string;
  /** Absent in a batch without assignees and labels. */
  assignee_user_ids?: string[];
  label_ids?: string[];
}

/** Below this position, rounding loses a step of one. `explain` then makes room in the column. */
export const lowestTop = -(2 ** 52);

const fields = forEachField(({ name }) => name);

/** @param marked whether cards of the batch can have labels and assignees; other batches skip these parts */
const statement = (marked: boolean) => {
  const forMarks = (part: string) => (marked ? part : '');
  return `with asked as materialized (
  select *, $2::uuid as workspace_id from json_to_recordset($1) as asked (
    seq integer, card_id uuid, column_id uuid, user_id uuid, named uuid, expected uuid,
    ${forEachField(({ name, type }) => `${name} ${type}`)},
    ${forMarks('assignee_user_ids uuid[], label_ids uuid[], ')}command_id uuid, fingerprint text,
    event_id uuid, request_id text, api_key_id uuid)
  ${assumedFew}
),
-- Locks the columns: the order of their cards and their tops are stable from here on.
target_columns as materialized (
  ${lockByKey(
    'select distinct column_id as id from asked',
    `select workspace_id, id, board_id, top from columns
    where workspace_id = $2::uuid and columns.id = ids.id and archived_at is null and top > ${lowestTop}
    for no key update`,
  )}
),${forMarks(`
-- Locks the labels: a deletion would remove them only from the cards that exist.
held_labels as materialized (
  ${lockByKey(
    'select distinct unnest(label_ids) as id from asked where exists (select from target_columns)',
    `select id from labels where workspace_id = $2::uuid and labels.id = ids.id for key share`,
  )}
),`)}
-- The cards that may be created: on an open board that the caller sees, by a command that has no answer yet.
-- Their workstream: the named one, else the default of the board if it is open, else that of the workspace.
allowed as (
  select asked.*, target_columns.board_id, coalesce(
      asked.named,
      (select id from workstreams
        where workspace_id = $2::uuid and id = boards.default_workstream_id and not closed),
      (select id from workstreams where workspace_id = $2::uuid and prefix = '${mainPrefix}')) as workstream_id
  from asked
  join target_columns on target_columns.id = asked.column_id
  ${joinByKey('boards', 'target_columns', 'board_id')}
  where boards.archived_at is null and boards.deleted_at is null
    and ${visibleTo('asked.user_id')}
    and not exists (select from commands where workspace_id = $2::uuid and commands.id = asked.command_id)${forMarks(`
    and not exists (select from unnest(asked.label_ids) as label_id where label_id not in (select id from held_labels))`)}
),
ranges as materialized (
  ${lockByKey(
    'select distinct workstream_id as id from allowed where workstream_id = expected',
    `select id, name, prefix, last_number, granted_through from workstreams
    where workspace_id = $2::uuid and workstreams.id = ids.id and not closed
      and epoch = $4::integer and workstreams.tableoid = $5::oid
    for no key update`,
  )}
),
counted as (
  select allowed.*, ranges.last_number + row_number() over (partition by allowed.workstream_id order by seq) as number,
    ranges.name, ranges.prefix, ranges.granted_through
  from allowed join ranges on ranges.id = allowed.workstream_id and allowed.workstream_id = allowed.expected
),
-- Issues granted numbers only; each card is put above those before it.
numbered as materialized (
  select counted.*, prefix || '-' || number as identifier,
    target_columns.top - row_number() over (partition by column_id order by seq) as position
  from counted join target_columns on target_columns.id = counted.column_id
  where number <= granted_through
),
counters as (
  update workstreams set last_number = workstreams.last_number + used.count
  from (select workspace_id, workstream_id, count(*) from numbered group by workspace_id, workstream_id) as used
  where workstreams.workspace_id = used.workspace_id and workstreams.id = used.workstream_id
  returning 1
),
tops as (
  update columns set top = columns.top - used.count
  from (select workspace_id, column_id, count(*) from numbered group by workspace_id, column_id) as used
  where columns.workspace_id = used.workspace_id and columns.id = used.column_id
  returning 1
),
made as (
  insert into cards (workspace_id, id, version, board_id, column_id, position, ${fields},
    created_by, created_at, updated_at, workstream_id, identifier${forMarks(', assignee_user_ids, label_ids')})
  select $2::uuid, card_id, 1, board_id, column_id, position, ${fields},
    user_id, $3::timestamptz, $3::timestamptz, workstream_id, identifier${forMarks(`,
    coalesce(assignee_user_ids, '{}'), coalesce(label_ids, '{}')`)}
  from numbered
  returning *
),
documents as materialized (
  select numbered.*, ${cardDocument('made', 'numbered')} as document,
    ${issuedIdentifier('made', 'numbered')} as issued
  from made join numbered on numbered.card_id = made.id
),
answers as (
  insert into commands (workspace_id, id, fingerprint, response, created_at, ended_at)
  select $2::uuid, command_id, fingerprint, document::jsonb, $3::timestamptz, $3::timestamptz
  from documents order by command_id
  returning 1
),
new_identifiers as (
  insert into issued (workspace_id, identifier, workstream_id, card_id, card_version, assigned_at, assigned_by)
  select $2::uuid, identifier, workstream_id, card_id, 1, $3::timestamptz, user_id from documents
  returning 1
),
${feedParts({
  type: `'card.created'`,
  cardId: 'card_id',
  version: '1',
  at: '$3::timestamptz',
  changed: '[]',
  previous: '{}',
  after: ['answers', 'counters', 'tops', 'new_identifiers'],
})}
select command_id, card_id, 1 as version, document, issued, granted_through - number as room from documents order by seq`;
};

/**
 * Creates every card of a batch that passes all checks, with its number, answer and change. For the other cards it
 * writes nothing, not even a claim: `explain` finds the reason, or that a second try will succeed.
 *
 * Rows are locked in the order of all locks (README): columns, workstreams, commands, each by id. A statement that
 * waited for a lock reads the latest version of that row, but all other rows as they were when the statement began. So
 * checks read locked rows, except where slightly old data is acceptable (board, membership). Two equal commands that
 * run at once conflict on the key of `commands`. The later one fails with its whole batch; tried again alone, it finds
 * the earlier one's answer.
 *
 * Numbers come from ranges of the current epoch, in the table that this process found in that epoch (ADR 0042).
 *
 * $1 the cards, $2 the workspace, $3 now, $4 the epoch, $5 the oid of the table `workstreams`
 * @returns a row for each card that was created, in the order of the batch
 */
export const createCards = prepared<Written>('create-cards', statement(false));

/** Does the same for a batch with labels or assignees. Labels are locked after columns. */
export const createMarkedCards = prepared<Written>('create-marked-cards', statement(true));
