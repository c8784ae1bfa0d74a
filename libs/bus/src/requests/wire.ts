import type { CardinalError, ErrorCode, ErrorDetails } from '@cardinal/contracts';
import type { RequestContext } from '@cardinal/runtime';
import { headers, type Msg, type MsgHdrs } from 'nats';

/*
 * One message carries the requests that were made of a subject in one tick: the body is a JSON array of requests, and
 * each header below has one value an item, in the items' order. Answers come in one or more messages, each a JSON array
 * of `Answer`: those that are ready in one tick share one. An answer too large for a message comes in parts.
 */

/** The answer to the request at index `item` of the message. */
export type Answer = { item: number; ok: unknown } | { item: number; error: TravellingError };

export interface TravellingError {
  code: ErrorCode;
  message: string;
  details?: ErrorDetails | undefined;
}

const traceparentHeader = 'traceparent';
const requestIdHeader = 'Cardinal-Request-Id';
const deadlineHeader = 'Cardinal-Deadline';
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

/** What a server allows where it does not say. */
const usualMaxPayload = 1_048_576;

/** Bytes that one message can carry. */
export const capacityOf = (server: { max_payload: number } | undefined): number =>
  (server?.max_payload ?? usualMaxPayload) - reservedBytes;

/** Bytes that an item takes in a message. */
export const sizeOfItem = (body: string, context: RequestContext): number =>
  Buffer.byteLength(body) + Buffer.byteLength(context.requestId) + context.traceparent.length + headerBytesOfItem;

/** A header value in one line: a line end would end the header, and empty values must keep their place. */
const singleLine = (value: string): string => value.replace(/[\r\n]/g, ' ');

export const itemHeaders = (contexts: RequestContext[]): MsgHdrs => {
  const result = headers();
  for (const context of contexts) {
    result.append(traceparentHeader, singleLine(context.traceparent));
    result.append(requestIdHeader, singleLine(context.requestId));
    result.append(deadlineHeader, String(Math.floor(context.deadline)));
  }
  return result;
};

/** What a message says of each item's context; the deadline is NaN where it is missing. */
export const readItemHeaders = (message: MsgHdrs | undefined) => {
  const traceparents = message?.values(traceparentHeader) ?? [];
  const requestIds = message?.values(requestIdHeader) ?? [];
  const deadlines = message?.values(deadlineHeader) ?? [];
  return (item: number) => ({
    traceparent: traceparents[item] ?? '',
    requestId: requestIds[item] ?? '',
    deadline: Number.parseInt(deadlines[item] ?? '', 10),
  });
};

export const traceHeaders = (context: RequestContext | undefined): MsgHdrs => {
  const result = headers();
  if (context) result.append(traceparentHeader, singleLine(context.traceparent));
  return result;
};

export const traceparentOf = (message: MsgHdrs | undefined): string => message?.get(traceparentHeader) ?? '';

export const travelling = ({ code, message, details }: CardinalError): TravellingError => ({ code, message, details });

/** Puts JSON texts into arrays of `mostItems` that fit into a message each; a text that is too large stands alone. */
export const groupBySize = <Item>(items: Item[], sizeOf: (item: Item) => number, capacity: number): Item[][] => {
  const groups: Item[][] = [];
  let room = 0;
  for (const item of items) {
    const size = sizeOf(item) + 1;
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

/** Cuts a body into messages; the parts carry `Cardinal-Part: <index>/<count>`. */
export const partsOf = (body: Buffer, capacity: number): { data: Buffer; headers?: MsgHdrs }[] => {
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
