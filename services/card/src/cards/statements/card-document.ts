import { card as cardSchema } from '@cardinal/contracts';
import { concatenated } from '@cardinal/db';
import { writableFields } from '../fields.ts';

/**
 * SQL fragments that build the documents of cards for clients and for the ledger, so that Postgres need not return the
 * rows.
 */

/** Makes SQL that formats a timestamp as in JSON: UTC with milliseconds (CONTRACT 1.6). */
export const moment = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Templates of columns in JSON, with the SQL in double brackets (`concatenated`). */
const written = {
  number: (column: string) => `[[${column}]]`,
  /** An id or an identifier, which needs no escapes. */
  plain: (column: string) => `"[[${column}]]"`,
  text: (column: string) => `[[to_json(${column})]]`,
  textOrNull: (column: string) => `[[coalesce(to_json(${column})::text, 'null')]]`,
  moment: (column: string) => `"[[${moment(column)}]]"`,
  momentOrNull: (column: string) => `[[coalesce('"' || ${moment(column)} || '"', 'null')]]`,
  list: (column: string) => `[[to_json(${column})]]`,
};
type Kind = keyof typeof written;

/** The kinds of the columns that are not `plain`. */
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
 * Makes SQL of a card's document (CONTRACT 5.1): the fields of the contract in its order, byte for byte the
 * `JSON.stringify` of the card that `toCard` makes. The SQL concatenates texts, because Postgres needs twice as long to
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

/** Makes the template of a card's field in JSON, for `concatenated`. @param column SQL for its value */
export const fieldText = (name: string, column: string): string => written[kinds[name] ?? 'plain'](column);

/**
 * Makes SQL of the identifier that a card was issued, in the format of the ledger's requests.
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
