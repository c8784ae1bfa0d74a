import { prepared } from '@cardinal/db';
import { visibleTo } from '../../boards/queries.ts';
import type { Written } from '../batch.ts';
import { forEachField, type WritableFieldName } from '../fields.ts';
import { assumedFew, joinByKey, lockByKey } from '../queries.ts';
import { cardDocument, issuedIdentifier } from './card-document.ts';
import { type EventOrigin, editedFields, feedParts } from './card-feed.ts';

/** The new values. A new value of a field that can be null counts only where `sets_…` is true. */
type FieldEdits = { [Name in WritableFieldName as `new_${Name}`]?: string | null | undefined } & {
  [Name in WritableFieldName as `sets_${Name}`]?: boolean;
};

/**
 * An edit of a card, in the format of the statement, with times as in JSON. Fields that are neither set nor cleared
 * stay.
 */
export interface CardEdit extends FieldEdits, EventOrigin {
  seq: number;
  card_id: string;
  user_id: string;
  if_match: number[];
  /** The time of the update, unless the card has a later one. */
  arrived_at: string;
  completed?: boolean | undefined;
  archived?: true | undefined;
  new_workstream_id?: string | undefined;
  command_id: string;
  fingerprint: string;
}

/** @param transfers whether cards of the batch can change their workstreams; other batches skip these parts */
const statement = (transfers: boolean) => {
  const forTransfers = (part: string) => (transfers ? part : '');
  return `with asked as materialized (
  -- A batch applies the first of several edits of a card.
  select distinct on (card_id) *, $2::uuid as workspace_id from json_to_recordset($1) as asked (
    seq integer, card_id uuid, user_id uuid, if_match bigint[], arrived_at timestamptz,
    ${forEachField(({ name, type, required }) => `${required ? '' : `sets_${name} boolean, `}new_${name} ${type}`)},
    completed boolean, archived boolean,${forTransfers(' new_workstream_id uuid,')}
    command_id uuid, fingerprint text, event_id uuid, request_id text, api_key_id uuid)
  ${assumedFew}
  order by card_id, seq
),
locked as materialized (
  select asked.*, cards.version as read_version, greatest(arrived_at, cards.updated_at) as at,
    ${forEachField(({ name }) => `cards.${name}`)}, cards.completed_at, cards.archived_at,
    cards.workstream_id, cards.identifier
  from (select * from asked order by card_id) as asked
  -- The lock is also an optimizer fence: each card is found by its key, not by a scan of the workspace.
  cross join lateral (
    select cards.* from cards
    ${joinByKey('boards', 'cards', 'board_id')}
    where cards.workspace_id = asked.workspace_id and cards.id = asked.card_id and cards.version = any (asked.if_match)
      -- Checked again where the card was moved while the statement waited for its lock.
      and boards.id = cards.board_id and boards.deleted_at is null
      and ${visibleTo('asked.user_id')}
      and not exists (
        select from commands where commands.workspace_id = asked.workspace_id and commands.id = asked.command_id)
    for update of cards
  ) as cards
),
decided as (
  select locked.*,
    ${forEachField(
      ({ name, required }) =>
        required
          ? `coalesce(new_${name}, ${name}) as next_${name}`
          : `case when sets_${name} then new_${name} else ${name} end as next_${name}`,
      ',\n    ',
    )},
    -- A card that is already completed or archived keeps its time.
    case completed when true then coalesce(completed_at, at) when false then null else completed_at end as next_completed_at,
    case when archived then coalesce(archived_at, at) else archived_at end as next_archived_at${forTransfers(`,
    nullif(new_workstream_id, workstream_id) as target`)}
  from locked
),
-- All changed fields together are one version (CONTRACT 3.3).
compared as (
  select decided.*,
    (${forEachField(({ name }) => `next_${name}`)}, next_completed_at, next_archived_at)
      is distinct from (${forEachField(({ name }) => name)}, completed_at, archived_at) as differs
  from decided
),
${
  transfers
    ? `ranges as materialized (
  ${lockByKey(
    'select distinct target as id from decided',
    `select id, prefix, last_number, granted_through from workstreams
    where workspace_id = $2::uuid and workstreams.id = ids.id and not closed
      and epoch = $3::integer and workstreams.tableoid = $4::oid
    for no key update`,
  )}
),
counted as (
  select compared.*, ranges.prefix, ranges.granted_through,
    ranges.last_number + row_number() over (partition by target order by seq) as number
  from compared left join ranges on ranges.id = target
),
-- Issues granted numbers only. A new identifier is one more version.
allowed as materialized (
  select counted.*, prefix || '-' || number as new_identifier, granted_through - number as room,
    read_version + differs::integer + (target is not null)::integer as next_version
  from counted where target is null or number <= granted_through
),
counters as (
  update workstreams set last_number = workstreams.last_number + used.count
  from (
    select workspace_id, target, count(*) from allowed where target is not null group by workspace_id, target
  ) as used
  where workstreams.workspace_id = used.workspace_id and workstreams.id = used.target
  returning 1
)`
    : `allowed as (
  select compared.*, read_version + differs::integer as next_version from compared
)`
},
-- An edit that changes nothing also has an answer: the card as it is.
changed as (
  update cards set
    version = next_version, updated_at = case when next_version = read_version then cards.updated_at else at end,
    ${forEachField(({ name }) => `${name} = next_${name}`)},
    completed_at = next_completed_at, archived_at = next_archived_at${forTransfers(`,
    workstream_id = coalesce(target, cards.workstream_id), identifier = coalesce(new_identifier, cards.identifier)`)}
  from allowed
  where cards.workspace_id = allowed.workspace_id and cards.id = allowed.card_id
  returning cards.*, seq, at, user_id, command_id, fingerprint, event_id, request_id, api_key_id, read_version,
    case${forTransfers(` when target is not null then 'card.transferred'`)} when next_archived_at is distinct from allowed.archived_at then 'card.archived'
      else 'card.updated' end as event_type,
    ${editedFields('allowed', transfers ? 'target' : undefined)}${forTransfers(`,
    target, room`)}
),
documents as materialized (
  select changed.*,
    ${cardDocument('changed', 'workstreams')} as document${forTransfers(`,
    case when target is not null then ${issuedIdentifier('changed', 'changed')} end as issued`)}
  from changed
  ${joinByKey('workstreams', 'changed', 'workstream_id')}
),
answers as (
  insert into commands (workspace_id, id, fingerprint, response, created_at, ended_at)
  select $2::uuid, command_id, fingerprint, document::jsonb, at, at
  from documents order by command_id
  returning 1
)${forTransfers(`,
new_identifiers as (
  insert into issued (workspace_id, identifier, workstream_id, card_id, card_version, assigned_at, assigned_by)
  select $2::uuid, identifier, target, id, version, at, user_id from documents where target is not null
  returning 1
)`)},
${feedParts({
  type: 'event_type',
  cardId: 'id',
  version: 'version',
  at: 'updated_at',
  changed: '[[changed_fields]]',
  previous: '[[previous_values]]',
  where: 'version > read_version',
  after: transfers ? ['answers', 'counters', 'new_identifiers'] : ['answers'],
})}
select command_id, id as card_id, version, document, ${transfers ? 'issued, room' : 'null::json as issued, null::bigint as room'}
from documents order by seq`;
};

/**
 * Makes every edit of a batch that passes all checks, with its answer and change. For the other edits it writes
 * nothing: `cards/edit.ts` finds the reason, or that a second try will succeed. No edit of the batch names a
 * workstream.
 *
 * Rows are locked in the order of all locks (README): cards, workstreams, commands, each by id. A statement that waited
 * for a card's lock checks and changes the latest version of the card.
 *
 * $1 the edits, $2 the workspace
 * @returns a row for each edit that was made, in the order of the batch
 */
export const editCards = prepared<Written>('edit-cards', statement(false));

/**
 * Does the same for a batch in which edits name a workstream. Cards that get another workstream get its next numbers,
 * from ranges of the current epoch, in the table that this process found in that epoch (ADR 0042).
 *
 * $1 the edits, $2 the workspace, $3 the epoch, $4 the oid of the table `workstreams`
 */
export const transferCards = prepared<Written>('transfer-cards', statement(true));
