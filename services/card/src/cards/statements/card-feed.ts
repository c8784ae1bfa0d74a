import { card as cardSchema } from '@cardinal/contracts';
import { concatenated, eventText, longestPrevious, notingParts } from '@cardinal/db';
import { currentContext } from '@cardinal/runtime';
import { v7 } from 'uuid';
import { writableFields } from '../fields.ts';
import { fieldText, moment } from './card-document.ts';

/**
 * SQL fragments that append changes of cards to the feed (ARCHITECTURE, "Feeds"). They do the work of `changeOf` and
 * `appendChanges` of `@cardinal/db` for all cards of a batch, with the same `eventText` (ADR 0075).
 */

/** The id of an event; the id of its request, outside of one the event's own; the API key that the user came with. */
export interface EventOrigin {
  event_id: string;
  request_id: string;
  api_key_id: string | undefined;
}

/** Makes the origin of an event. Call it in the context of the request: a statement runs for many requests. */
export const newEventOrigin = (): EventOrigin => {
  const event_id = v7();
  const { requestId = event_id, caller } = currentContext() ?? {};
  return { event_id, request_id: requestId, api_key_id: caller?.apiKeyId };
};

/**
 * The changes of a statement. Its part `documents` has `seq`, `event_id`, `request_id`, `api_key_id`, `user_id`, `board_id`,
 * `identifier` and `document`.
 */
interface CardChanges {
  /** This and the next three are SQL for a row of `documents`. */
  type: string;
  cardId: string;
  version: string;
  at: string;
  /** This and `previous` are templates for `concatenated`. */
  changed: string;
  previous: string;
  /** A condition in SQL on the documents that changed; all by default. */
  where?: string;
  /** The parts that lock or write. The feed is locked after them, because another order could deadlock. */
  after: readonly string[];
}

/** Makes the last parts of a statement on the workspace $2, which append its changes to the feed. */
export const feedParts = ({ type, cardId, version, at, changed, previous, where, after }: CardChanges): string => {
  const event = concatenated(
    eventText({
      id: '"[[event_id]]"',
      type: `"[[${type}]]"`,
      at: `"[[${moment(at)}]]"`,
      userId: '"[[user_id]]"',
      apiKeyId: `[[coalesce(to_json(api_key_id)::text, 'null')]]`,
      requestId: '[[to_json(request_id)]]',
      subject: { type: '"card"', id: `"[[${cardId}]]"`, version: `[[${version}]]` },
      card: { id: `"[[${cardId}]]"`, identifier: '"[[identifier]]"' },
      boardId: '"[[board_id]]"',
      changed,
      previous,
      data: '[[document]]',
    }),
  );
  return `news as materialized (
  select seq as ordinal, event_id as id, ${type} as type, ${cardId} as card_id, board_id, null::uuid as other_board_id,
    ${event} as event
  from documents
  where ${after.map((part) => `(select count(*) from ${part})`).join(' + ')} > 0${where ? ` and ${where}` : ''}
),
${notingParts('news', { workspace: '$2' })}`;
};

/** The fields that an edit can change, in the order of the contract. `isText`: values can be too long for the event. */
const editable = Object.keys(cardSchema.shape).flatMap((name): { name: string; isText?: boolean }[] => {
  const field = writableFields.find((one) => one.name === name);
  if (field) return [{ name, isText: field.type === 'text' }];
  return ['completed_at', 'archived_at', 'identifier', 'workstream'].includes(name) ? [{ name }] : [];
});

/**
 * Makes SQL of the columns `changed_fields` and `previous_values` of an edited card, as JSON. Previous values that are
 * long are left out.
 * @param row alias of the row with the former values and, as `next_…`, the new values
 * @param target SQL that is not null where the card gets another workstream; undefined for statements without transfers
 */
export const editedFields = (row: string, target: string | undefined): string => {
  const differs = (name: string) =>
    name === 'identifier' || name === 'workstream'
      ? target && `${target} is not null`
      : `${row}.next_${name} is distinct from ${row}.${name}`;
  const each = (part: (field: { name: string; isText?: boolean }, differs: string) => string) =>
    editable
      .flatMap((field) => {
        const when = differs(field.name);
        return when ? [part(field, when)] : [];
      })
      .filter((one) => one !== '')
      .join(',\n      ');
  const changed = each(({ name }, when) => `case when ${when} then '"${name}"' end`);
  const previous = each(({ name, isText }, when) => {
    // The workstream is an object, and previous values have no objects.
    if (name === 'workstream') return '';
    const short = isText ? ` and coalesce(length(${row}.${name}), 0) <= ${longestPrevious}` : '';
    return `case when ${when}${short} then ${concatenated(`"${name}":${fieldText(name, `${row}.${name}`)}`)} end`;
  });
  return `concat('[', concat_ws(',',
      ${changed}), ']') as changed_fields,
    concat('{', concat_ws(',',
      ${previous}), '}') as previous_values`;
};
