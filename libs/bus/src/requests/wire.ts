import { Document, type DocumentHead, type ErrorCode, type ErrorDetails } from '@cardinal/contracts';
import type { RequestContext } from '@cardinal/runtime';
import { type MsgHdrs, MsgHdrsImpl } from 'nats';

/*
 * One message carries the requests that were made of a subject in one tick: the body is a JSON array of requests, and
 * each header below has one value an item, in the items' order. Answers come in one or more messages: those that are ready
 * in one tick share one. Their heads are a JSON array in the first line; each further line is the text of one of them that
 * is no error, in their order. No answer is larger than a message (a page of the API fits into one).
 */

export interface TravellingError {
  code: ErrorCode;
  message: string;
  details?: ErrorDetails | undefined;
}
/** What a caller hears of a failure that is not its own. */
export const internal: TravellingError = { code: 'internal', message: 'Internal error' };
export type Outcome = { document: Document } | { error: TravellingError };
/** The answer to the request at index `item` of the message. */
export type Answer = { item: number } & Outcome;

/** The message of the error with which a request is refused that breaks its contract. Callers know it by that, in each release. */
export const malformedRequest = (subject: string): string => `Malformed request of ${subject}`;

const traceparentHeader = 'traceparent';
const requestIdHeader = 'Cardinal-Request-Id';
/** Milliseconds that are left, as clocks differ. */
const timeLeftHeader = 'Cardinal-Time-Left';

/** Requests that share a message at most. */
export const maxItems = 200;
/** Bytes of an item's headers without their values: names, colons, line ends, the deadline. */
const headerBytesOfItem = 100;
/** Room left in a message for the protocol's own lines. */
const reservedBytes = 1_024;

/** Bytes that one message can carry. */
export const capacityOf = (server: { max_payload: number } = { max_payload: 1_048_576 }): number =>
  server.max_payload - reservedBytes;

/** Bytes that an item takes in a message. */
export const sizeOfItem = (body: string, context: RequestContext): number =>
  Buffer.byteLength(body) + Buffer.byteLength(context.requestId) + context.traceparent.length + headerBytesOfItem;

/** A header value in one line: a line end would end the header, and empty values must keep their place. */
export const singleLine = (value: string): string => value.replace(/[\r\n]/g, ' ');

export const itemHeaders = (contexts: RequestContext[]): MsgHdrs => {
  const now = Date.now();
  // Not one by one, since each `append` looks through the names that are there.
  return MsgHdrsImpl.fromRecord({
    [traceparentHeader]: contexts.map(({ traceparent }) => singleLine(traceparent)),
    [requestIdHeader]: contexts.map(({ requestId }) => singleLine(requestId)),
    [timeLeftHeader]: contexts.map(({ deadline }) => String(Math.floor(deadline - now))),
  });
};

/** What a message says of each item's context; the deadline is NaN where it is missing. */
export const readItemHeaders = (message: MsgHdrs | undefined) => {
  const traceparents = message?.values(traceparentHeader) ?? [];
  const requestIds = message?.values(requestIdHeader) ?? [];
  const timesLeft = message?.values(timeLeftHeader) ?? [];
  const now = Date.now();
  return (item: number) => ({
    traceparent: traceparents[item] ?? '',
    requestId: requestIds[item] ?? '',
    deadline: now + Number.parseInt(timesLeft[item] ?? '', 10),
  });
};

const lineFeed = 0x0a;
const newLine = Buffer.of(lineFeed);

/** An answer on its way into a message. */
export interface WrittenAnswer {
  item: number;
  head: string;
  /** Its JSON; undefined for an error. */
  json: Buffer | undefined;
  /** Bytes that it takes in a message. */
  size: number;
}

/** @throws Error where its JSON is not one line, which would shift those after it */
export const writeAnswer = (answer: Answer): WrittenAnswer => {
  const { item } = answer;
  if ('error' in answer) {
    const head = JSON.stringify(answer);
    return { item, head, json: undefined, size: Buffer.byteLength(head) };
  }
  const { bytes: json } = answer.document;
  if (json.includes(lineFeed)) throw new Error('The text of a document must be one line');
  const head = JSON.stringify({ item, ...answer.document.head });
  return { item, head, json, size: Buffer.byteLength(head) + json.length + 1 };
};

export const frameOf = (answers: readonly WrittenAnswer[]): Buffer => {
  const heads = Buffer.from(`[${answers.map(({ head }) => head).join(',')}]`);
  return Buffer.concat([heads, ...answers.flatMap(({ json }) => (json ? [newLine, json] : []))]);
};

/** Reads a message of answers; their bytes stay as they are. @throws SyntaxError where it is none */
export const readAnswers = (message: Uint8Array): Answer[] => {
  const frame = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
  let end = lineEnd(frame, 0);
  const heads = JSON.parse(frame.toString('utf8', 0, end)) as ({ item: number } & (
    | DocumentHead
    | { error: TravellingError }
  ))[];
  return heads.map((answer) => {
    if ('error' in answer) return answer;
    const { item, ...head } = answer;
    const start = end + 1;
    end = lineEnd(frame, start);
    return { item, document: new Document(head, frame.subarray(start, end)) };
  });
};

const lineEnd = (frame: Buffer, from: number): number => {
  const end = frame.indexOf(lineFeed, from);
  return end === -1 ? frame.length : end;
};

/** Whether an answer is too large for a message that carries nothing else. */
export const isTooLarge = ({ size }: WrittenAnswer, capacity: number): boolean => size + 2 > capacity;

/** Puts JSON texts into arrays of `maxItems` that fit into a message each; a text that is too large stands alone. */
export const groupBySize = <Item extends { size: number }>(items: Item[], capacity: number): Item[][] => {
  const groups: Item[][] = [];
  let room = 0;
  for (const item of items) {
    const size = item.size + 1;
    const last = groups.at(-1);
    if (last && last.length < maxItems && size <= room) {
      last.push(item);
      room -= size;
    } else {
      groups.push([item]);
      room = capacity - 2 - size;
    }
  }
  return groups;
};
