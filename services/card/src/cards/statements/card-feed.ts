import { card as cardSchema } from '@cardinal/contracts';
import { longestPrevious, notingParts } from '@cardinal/db';
import { currentContext } from '@cardinal/runtime';
import { v7 } from 'uuid';
import { writableFields } from '../fields.ts';
import { concatenated, fieldText, moment } from './card-document.ts';

/**
 * Fragments of statements that note what followers hear of cards (ARCHITECTURE, "Feeds"): in SQL what `changeOf` and
 * `appendChanges` of `@cardinal/db` do, for every card of a batch at once.
 */

/** What an event has of its own: its id, and the request that it came of (its own id where there was none). */
export interface EventOrigin {
  event_id: string;
  request_id: string;
}

/** Taken in the context of each request, since a statement serves many. */
export const newEventOrigin = (): EventOrigin => {
  const event_id = v7();
  return { event_id, request_id: currentContext()?.requestId ?? event_id };
};

/** How a statement says what it did. Its `documents` have `seq`, `event_id`, `request_id`, `user_id`, `board_id`, `identifier` and `document`. */
interface Happened {
  /** SQL; the columns or values of a row of `documents`. */
  type: string;
  cardId: string;
  version: string;
  at: string;
  /** Texts whose double brackets hold SQL. */
  changed: string;
  previous: string;
  /** SQL that says of which documents there is news; left out: of all. */
  where?: string;
  /** Parts that lock or write something: the feed is locked last, or two processes could wait for each other. */
  after: readonly string[];
}

/** The last parts of a statement of the workspace $2: what happened, and that it is noted. */
export const feedParts = ({ type, cardId, version, at, changed, previous, where, after }: Happened): string => {
  const event = concatenated(
    `{"id":"[[event_id]]","type":"[[${type}]]","at":"[[${moment(at)}]]","actor":{"user_id":"[[user_id]]"},` +
      `"request_id":[[to_json(request_id)]],"subject":{"type":"card","id":"[[${cardId}]]","version":[[${version}]]},` +
      `"card":{"id":"[[${cardId}]]","identifier":"[[identifier]]"},"board_id":"[[board_id]]",` +
      `"changed":${changed},"previous":${previous},"data":[[document]]}`,
  );
  return `news as materialized (
  select seq as ordinal, event_id as id, ${type} as type, ${cardId} as card_id, board_id, null::uuid as other_board_id,
    ${event} as event
  from documents
  where ${after.map((part) => `(select count(*) from ${part})`).join(' + ')} > 0${where ? ` and ${where}` : ''}
),
${notingParts('news', { workspace: '$2' })}`;
};

/** What an edit may change, in the order of the contract; `isText`: may be too long to be kept. */
const editable = Object.keys(cardSchema.shape).flatMap((name): { name: string; isText?: boolean }[] => {
  const field = writableFields.find((one) => one.name === name);
  if (field) return [{ name, isText: field.type === 'text' }];
  return ['completed_at', 'archived_at', 'identifier', 'workstream'].includes(name) ? [{ name }] : [];
});

/**
 * Columns that say of an edited card which fields differ and what short ones of them were, as JSON.
 * @param row alias of the row with the former values and, as `next_…`, the new ones
 * @param target SQL that is not null where the card comes to another workstream; undefined where none does
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
    // An object, which is not kept.
    if (name === 'workstream') return '';
    const short = isText ? ` and coalesce(length(${row}.${name}), 0) <= ${longestPrevious}` : '';
    return `case when ${when}${short} then ${concatenated(`"${name}":${fieldText(name, `${row}.${name}`)}`)} end`;
  });
  return `concat('[', concat_ws(',',
      ${changed}), ']') as changed_fields,
    concat('{', concat_ws(',',
      ${previous}), '}') as previous_values`;
};
