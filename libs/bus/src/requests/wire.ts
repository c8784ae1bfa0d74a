import { Document, type DocumentHead, type ErrorCode, type ErrorDetails } from '@cardinal/contracts';
import type { RequestContext } from '@cardinal/runtime';
import { headers, type Msg, type MsgHdrs, MsgHdrsImpl } from 'nats';

/*
 * One message carries the requests that were made of a subject in one tick: the body is a JSON array of requests, and
 * each header below has one value an item, in the items' order. Answers come in one or more messages: those that are ready
 * in one tick share one. Their heads are a JSON array in the first line; each further line is the text of one of them that
 * is no error, in their order. An answer too large for a message comes in parts.
 */

export interface TravellingError {
  code: ErrorCode;
  message: string;
  details?: ErrorDetails | undefined;
}
export type Outcome = { document: Document } | { error: TravellingError };
/** The answer to the request at index `item` of the message. */
export type Answer = { item: number } & Outcome;

const traceparentHeader = 'traceparent';
const requestIdHeader = 'Cardinal-Request-Id';
/** Milliseconds that are left, as clocks differ. */
const timeLeftHeader = 'Cardinal-Time-Left';
const partHeader = 'Cardinal-Part';

/** Requests that share a message at most. */
export const mostItems = 200;
/** Messages that one reply may take at most, see `maxReplyBytes`. */
export const mostParts = 5;
/** The largest reply, bytes of JSON: four times a page of the API (api-decisions, "Pages"). */
export const maxReplyBytes = 4 * 1_048_576;

/** Bytes of an item's headers beside its values: names, colons, line ends, the deadline. */
const headerBytesOfItem = 100;
/** Room left in a message for the protocol's own lines and the part header. */
const reservedBytes = 1_024;

/** Bytes that one message can carry. */
export const capacityOf = (server: { max_payload: number } = { max_payload: 1_048_576 }): number =>
  server.max_payload - reservedBytes;

/** Bytes that an item takes in a message. */
export const sizeOfItem = (body: string, context: RequestContext): number =>
  Buffer.byteLength(body) + Buffer.byteLength(context.requestId) + context.traceparent.length + headerBytesOfItem;

/** A header value in one line: a line end would end the header, and empty values must keep their place. */
const singleLine = (value: string): string => value.replace(/[\r\n]/g, ' ');

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

export const traceHeaders = (context: RequestContext | undefined): MsgHdrs => {
  const result = headers();
  if (context) result.append(traceparentHeader, singleLine(context.traceparent));
  return result;
};

export const traceparentOf = (message: MsgHdrs | undefined): string => message?.get(traceparentHeader) ?? '';

/** An answer on its way into a message. */
export interface WrittenAnswer {
  item: number;
  head: string;
  /** Undefined for an error. */
  text: string | undefined;
  /** Bytes that it takes in a message. */
  size: number;
}

/** @throws Error where a text is not one line, which would shift those after it */
export const writeAnswer = (answer: Answer): WrittenAnswer => {
  const { item } = answer;
  if ('error' in answer) {
    const head = JSON.stringify(answer);
    return { item, head, text: undefined, size: Buffer.byteLength(head) };
  }
  const { text } = answer.document;
  if (text.includes('\n')) throw new Error('The text of a document must be one line');
  const head = JSON.stringify({ item, ...answer.document.head });
  return { item, head, text, size: Buffer.byteLength(head) + Buffer.byteLength(text) + 1 };
};

export const frameOf = (answers: readonly WrittenAnswer[]): Buffer => {
  const texts = answers.filter(({ text }) => text !== undefined).map(({ text }) => `\n${text}`);
  return Buffer.from(`[${answers.map(({ head }) => head).join(',')}]${texts.join('')}`);
};

/** Reads a message of answers; their texts stay as they are. @throws SyntaxError where it is none */
export const readAnswers = (frame: string): Answer[] => {
  let end = lineEnd(frame, 0);
  const heads = JSON.parse(frame.slice(0, end)) as ({ item: number } & (DocumentHead | { error: TravellingError }))[];
  return heads.map((answer) => {
    if ('error' in answer) return answer;
    const { item, ...head } = answer;
    const start = end + 1;
    end = lineEnd(frame, start);
    return { item, document: new Document(head, frame.slice(start, end)) };
  });
};

const lineEnd = (text: string, from: number): number => {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
};

/** Puts JSON texts into arrays of `mostItems` that fit into a message each; a text that is too large stands alone. */
export const groupBySize = <Item extends { size: number }>(items: Item[], capacity: number): Item[][] => {
  const groups: Item[][] = [];
  let room = 0;
  for (const item of items) {
    const size = item.size + 1;
    const last = groups.at(-1);
    if (last && last.length < mostItems && size <= room) {
      last.push(item);
      room -= size;
    } else {
      groups.push([item]);
      room = capacity - 2 - size;
    }
  }
  return groups;
};

/** A message of an answer. */
export interface Part {
  data: Buffer;
  headers?: MsgHdrs;
}

/** Cuts a body into messages; where there are several, they carry `Cardinal-Part: <index>/<count>`. */
export const partsOf = (body: Buffer, capacity: number): Part[] => {
  if (body.length <= capacity) return [{ data: body }];
  const count = Math.ceil(body.length / capacity);
  return Array.from({ length: count }, (_, index) => {
    const part = headers();
    part.append(partHeader, `${index}/${count}`);
    return { data: body.subarray(index * capacity, (index + 1) * capacity), headers: part };
  });
};

/** Puts the parts of one sender together again, which the broker keeps in order. */
export const assembler = () => {
  let parts: Uint8Array[] = [];
  /** The body that this message completes; undefined while parts are missing. */
  return (message: Msg): string | undefined => {
    const part = message.headers?.get(partHeader);
    if (!part) return message.string();
    const [index, count] = part.split('/').map(Number);
    if (index === 0) parts = [];
    parts.push(message.data);
    if (parts.length !== count) return undefined;
    const body = Buffer.concat(parts).toString('utf8');
    parts = [];
    return body;
  };
};
