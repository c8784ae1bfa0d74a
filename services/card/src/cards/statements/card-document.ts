import { card as cardSchema } from '@cardinal/contracts';
import { writableFields } from '../fields.ts';

/**
 * Fragments of statements that build in SQL what clients and the ledger read of a card, so no row has to be transferred
 * for it.
 */

/** A timestamp as in JSON: UTC with milliseconds (CONTRACT 1.6). */
export const moment = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** How a column is written as JSON, what is SQL of it in double brackets (`concatenated`). */
const written = {
  number: (column: string) => `[[${column}]]`,
  /** What no character has to be escaped of: an id, an identifier. */
  plain: (column: string) => `"[[${column}]]"`,
  text: (column: string) => `[[to_json(${column})]]`,
  textOrNull: (column: string) => `[[coalesce(to_json(${column})::text, 'null')]]`,
  moment: (column: string) => `"[[${moment(column)}]]"`,
  momentOrNull: (column: string) => `[[coalesce('"' || ${moment(column)} || '"', 'null')]]`,
  list: (column: string) => `[[to_json(${column})]]`,
};
type Kind = keyof typeof written;

/** SQL that concatenates a text whose double brackets hold SQL. */
export const concatenated = (text: string): string => {
  // Literals and SQL take turns.
  const parts = text.split(/\[\[|\]\]/).map((part, at) => (at % 2 || part === '' ? part : `'${part}'`));
  return `concat(\n      ${parts.filter((part) => part !== '').join(',\n      ')})`;
};

/** Of columns that are not `plain`. */
const kinds: Record<string, Kind> = {
  version: 'number',
  position: 'number',
  completed_at: 'momentOrNull',
  archived_at: 'momentOrNull',
  created_at: 'moment',
  updated_at: 'moment',
  assignee_user_ids: 'list',
  label_ids: 'list',
  subtask_total: 'number',
  subtask_completed: 'number',
  comment_count: 'number',
  ...Object.fromEntries(
    writableFields.map(({ name, type, ...field }): [string, Kind] => {
      const kind = type === 'timestamptz' ? 'moment' : 'text';
      return [name, 'required' in field ? kind : `${kind}OrNull`];
    }),
  ),
};

/**
 * A card as clients see it (CONTRACT 5.1), as text: the fields of the contract in its order, equal to
 * `JSON.stringify` of what `toCard` makes of the row. Concatenated from texts, because Postgres takes twice as long to
 * build JSON.
 * @param card alias of a row of `cards`
 * @param workstream alias of a row with the name and the prefix of its workstream
 */
export const cardDocument = (card: string, workstream: string): string => {
  const own: Record<string, string> = {
    type: '"card"',
    workstream:
      `{"id":"[[${card}.workstream_id]]","name":[[to_json(${workstream}.name)]],` +
      `"prefix":"[[${workstream}.prefix]]"}`,
  };
  const fields = Object.keys(cardSchema.shape).map(
    (name) => `"${name}":${own[name] ?? fieldText(name, `${card}.${name}`)}`,
  );
  return concatenated(`{${fields.join(',')}}`);
};

/** How a field of a card is written as JSON, for `concatenated`. @param column SQL for its value */
export const fieldText = (name: string, column: string): string => written[kinds[name] ?? 'plain'](column);

/**
 * The identifier that a card has been issued, as it is sent to the ledger.
 * @param card alias of a row of `cards`
 * @param by alias of a row with the `user_id` of the writer
 */
export const issuedIdentifier = (card: string, by: string) => `json_build_object(
      'workspace_id', ${card}.workspace_id,
      'identifier', ${card}.identifier,
      'workstream_id', ${card}.workstream_id,
      'card_id', ${card}.id,
      'card_version', ${card}.version,
      'assigned_at', ${moment(`${card}.updated_at`)},
      'assigned_by', ${by}.user_id)`;
