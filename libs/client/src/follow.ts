import { createParser } from 'eventsource-parser';
import { exchange, jsonOf, type Outgoing, pause, type Transport } from './calls.ts';
import { CardinalError, errorOf } from './errors.ts';
import { chunksOf } from './files.ts';

/** How long a stream may be silent, ms; the service sends a comment every 15 s. */
const silentMs = 45_000;
/** The pause before a reconnection where the service names none, ms. */
const usualReturnMs = 1_000;

/** A message of a stream: an event, a position, or the pause before a reconnection (ms). */
type Message = { type: string | undefined; data: string } | { position: number } | { returnMs: number };

/** The messages of a stream, until it ends in any way. */
async function* messagesIn(body: ReadableStream<Uint8Array>, close: () => void): AsyncGenerator<Message> {
  const messages: Message[] = [];
  const parser = createParser({
    onEvent: ({ event: type, data }) => messages.push({ type, data }),
    // The parser does not report the id of a block without data.
    onComment: (comment) => /^\d+$/.test(comment) && messages.push({ position: Number(comment) }),
    onRetry: (returnMs) => messages.push({ returnMs }),
  });
  const decoder = new TextDecoder();
  let timer = setTimeout(close, silentMs);
  try {
    for await (const chunk of chunksOf(body)) {
      clearTimeout(timer);
      parser.feed(decoder.decode(chunk, { stream: true }));
      yield* messages.splice(0);
      timer = setTimeout(close, silentMs);
    }
  } catch {
    // Another stream continues a broken one.
  } finally {
    clearTimeout(timer);
  }
}

/** A success that is no stream comes from something that is not Cardinal. */
const readStream = async (response: Response): Promise<{ answer: Opened } | { body: unknown }> =>
  response.ok && response.body !== null && response.headers.get('content-type')?.startsWith('text/event-stream')
    ? { answer: { body: response.body, requestId: response.headers.get('x-request-id') ?? undefined } }
    : { body: await jsonOf(response) };

interface Opened {
  body: ReadableStream<Uint8Array>;
  requestId: string | undefined;
}

/** A request that opens a stream; its address and headers are computed for each connection. */
export type Opening = Pick<Outgoing<unknown>, 'operation' | 'method' | 'url' | 'headers'>;

/**
 * Follows a stream of events, over as many connections as it takes, each event once and in order, until `signal` is
 * aborted.
 * @param after begins with events of a greater `seq`; undefined: with new events
 * @throws CardinalError (`gone` where the next events are not kept any more). Temporary failures, such as a service that is
 *   away, throw only where the first connection fails at all attempts of the client's `retry`
 */
export async function* follow<Item extends { seq: number }>(
  transport: Transport,
  opening: Opening,
  { after: position, signal }: { after: number | undefined; signal: AbortSignal | undefined },
): AsyncGenerator<Item, void, undefined> {
  let hasOpened = false;
  let [returnMs, inVain] = [usualReturnMs, 0];
  const open = async (end: AbortSignal): Promise<Opened> => {
    const patient = {
      ...transport.retry,
      attempts: Number.POSITIVE_INFINITY,
      longestRetryAfterMs: Number.POSITIVE_INFINITY,
    };
    const headers = async () => ({
      ...(await opening.headers()),
      accept: 'text/event-stream',
      ...(position === undefined ? {} : { 'last-event-id': String(position) }),
    });
    const retry = hasOpened ? patient : transport.retry;
    const outgoing = {
      ...opening,
      headers,
      retry,
      isRepeatable: true,
      timeoutMs: transport.timeoutMs,
      read: readStream,
    };
    return exchange(transport, outgoing, { signal: signal ? AbortSignal.any([signal, end]) : end });
  };

  while (!signal?.aborted) {
    const end = new AbortController();
    try {
      const { body, requestId } = await open(end.signal);
      hasOpened = true;
      inVain += 1;
      for await (const message of messagesIn(body, () => end.abort())) {
        if ('returnMs' in message) returnMs = message.returnMs;
        else if ('position' in message) position = Math.max(position ?? 0, message.position);
        else {
          inVain = 0;
          const value: unknown = JSON.parse(message.data);
          const error = errorOf({ status: 410, requestId, attempts: 1 }, value);
          if (error) throw error;
          const item = value as Item;
          if (item.seq <= (position ?? 0)) continue;
          position = item.seq;
          if (signal?.aborted) return;
          yield item;
        }
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (!(hasOpened && error instanceof CardinalError && error.code === 'timed_out')) throw error;
    } finally {
      end.abort();
    }
    // Streams that end without an event are reopened less and less often.
    const wait = Math.min(transport.retry.capMs, returnMs * 2 ** Math.max(0, inVain - 1));
    await pause(wait * (0.5 + Math.random() / 2), signal).catch(() => {});
  }
}
