import { Document, type DocumentHead, type ErrorCode, type ErrorDetails } from '@cardinal/contracts';
import type { RequestContext } from '@cardinal/runtime';
import { type MsgHdrs, MsgHdrsImpl } from 'nats';

/*
 * One message carries the requests of one subject in one tick. Its body is a JSON array of requests; each header below has
 * one value per item, in the order of items. Answers come in one or more messages: those ready in one tick share one.
 * The first line of an answer message is a JSON array of heads. Each further line is the text of one of them that is no
 * error, in their order. No answer is larger than a message (a page of the API fits into one).
 */

export interface TravellingError {
  code: ErrorCode;
  message: string;
  details?: ErrorDetails | undefined;
}
/** The caller's view of an unexpected failure. */
export const internal: TravellingError = { code: 'internal', message: 'Internal error' };
export type Outcome = { document: Document } | { error: TravellingError };
/** The answer to the request at index `item` of the message. */
export type Answer = { item: number } & Outcome;

/** The message of the error for a request that breaks its contract. Callers of every release recognize it. */
export const malformedRequest = (subject: string): string => `Malformed request of ${subject}`;

const traceparentHeader = 'traceparent';
const requestIdHeader = 'Cardinal-Request-Id';
/** Milliseconds left until the deadline, as clocks differ. */
const timeLeftHeader = 'Cardinal-Time-Left';

/** Most requests per message. */
export const maxItems = 200;
/** Bytes of an item's headers without values: names, colons, line ends, the deadline. */
const headerBytesOfItem = 100;
/** Bytes of a message reserved for the protocol's own lines. */
const reservedBytes = 1_024;

/** Most bytes of a message's payload. */
export const capacityOf = (server: { max_payload: number } = { max_payload: 1_048_576 }): number =>
  server.max_payload - reservedBytes;

/** Bytes of an item in a message. */
export const sizeOfItem = (body: string, context: RequestContext): number =>
  Buffer.byteLength(body) + Buffer.byteLength(context.requestId) + context.traceparent.length + headerBytesOfItem;

/** Puts a header value on one line: a line end would end the header, and an empty value must keep its place. */
export const singleLine = (value: string): string => value.replace(/[\r\n]/g, ' ');

export const itemHeaders = (contexts: RequestContext[]): MsgHdrs => {
  const now = Date.now();
  // Not by `append`, which searches all present names each time.
  return MsgHdrsImpl.fromRecord({
    [traceparentHeader]: contexts.map(({ traceparent }) => singleLine(traceparent)),
    [requestIdHeader]: contexts.map(({ requestId }) => singleLine(requestId)),
    [timeLeftHeader]: contexts.map(({ deadline }) => String(Math.floor(deadline - now))),
  });
};

/** Reads the headers of a message. @returns the context of an item; its deadline is NaN where it is missing */
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

/** An answer, serialized. */
export interface WrittenAnswer {
  item: number;
  head: string;
  /** Its JSON; undefined for an error. */
  json: Buffer | undefined;
  /** Its bytes in a message. */
  size: number;
}

/** Serializes an answer. @throws Error where its JSON is not one line, which would shift the ones after it */
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

/** Parses a message of answers without copying them. @throws SyntaxError where it is malformed */
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

/** Whether an answer is larger than a message of its own. */
export const isTooLarge = ({ size }: WrittenAnswer, capacity: number): boolean => size + 2 > capacity;

/** Groups JSON texts into arrays of at most `maxItems` that fit into one message each. A larger text stands alone. */
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
