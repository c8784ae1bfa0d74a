/*
 * The actor of an event, in SQL: expressions of indexes, so they never change. They cut the text, as to parse it would take
 * eight times as long with every event that is written. `eventText` of libs/db writes the actor before anything that clients
 * choose.
 */

/** Finds what follows a text in an event, 36 characters. */
const idBehind = (text: string) => `substr(event::text, strpos(event::text, '${text}') + ${text.length}, 36)`;

const keyBegins = '","api_key_id":"';

/** The id of the user. */
export const userOf = idBehind('"actor":{"user_id":"');

/** Whether the user came with an API key. */
export const hasKey = `strpos(left(event::text, 400), '${keyBegins}') > 0`;

/** The id of the API key, where there is one. */
export const keyOf = idBehind(keyBegins);
