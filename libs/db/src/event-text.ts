/** The parts of an event, each as JSON; in SQL, as a template for `concatenated` that gives JSON. */
export interface EventParts {
  id: string;
  type: string;
  at: string;
  userId: string;
  /** `null` without one. */
  apiKeyId: string;
  requestId: string;
  subject: { type: string; id: string; version: string };
  /** Absent for an event that is not of a card. */
  card?: { id: string; identifier: string } | undefined;
  boardId: string;
  changed: string;
  previous: string;
  data: string;
}

/**
 * Makes the JSON of an event (CONTRACT 9.1). It declares the shape for both builders: `changeOf`, and the statements that
 * write an event themselves (ADR 0075).
 * @returns JSON that begins with the id, or a template of it
 */
export const eventText = ({ id, type, at, userId, apiKeyId, requestId, subject, card, ...parts }: EventParts): string =>
  `{"id":${id},"type":${type},"at":${at},"actor":{"user_id":${userId},"api_key_id":${apiKeyId}},"request_id":${requestId},` +
  `"subject":{"type":${subject.type},"id":${subject.id},"version":${subject.version}},` +
  `"card":${card ? `{"id":${card.id},"identifier":${card.identifier}}` : 'null'},"board_id":${parts.boardId},` +
  `"changed":${parts.changed},"previous":${parts.previous},"data":${parts.data}}`;

/** The length of what precedes `seq` in the log: `{"id":"…",`. */
const headLength = '{"id":"00000000-0000-7000-8000-000000000000",'.length;

/** Inserts the number that an event has in the log. @param event the JSON of `eventText` */
export const numberedEvent = (event: string, seq: number): string =>
  `${event.slice(0, headLength)}"seq":${seq},${event.slice(headLength)}`;

/** Makes SQL that concatenates a template: literals, with SQL in double brackets. */
export const concatenated = (text: string): string => {
  // Literals and SQL alternate.
  const parts = text.split(/\[\[|\]\]/).map((part, at) => (at % 2 || part === '' ? part : `'${part}'`));
  return `concat(\n      ${parts.filter((part) => part !== '').join(',\n      ')})`;
};
