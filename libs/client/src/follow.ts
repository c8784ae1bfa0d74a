import { createParser } from 'eventsource-parser';
import { exchange, jsonOf, type Outgoing, pause, type Transport } from './calls.ts';
import { CardinalError, errorOf } from './errors.ts';
import { chunksOf } from './files.ts';

/** How long a stream may be silent, ms; the service says something every 15 s. */
const silentMs = 45_000;
/** Where the service does not say after which time to come back, ms. */
const usualReturnMs = 1_000;

/** What comes over a stream: an event, where the stream is, or after which time to come back (ms). */
type Told = { type: string | undefined; data: string } | { position: number } | { returnMs: number };

/** What is said in a stream, until it ends, one way or another. */
async function* toldIn(body: ReadableStream<Uint8Array>, close: () => void): AsyncGenerator<Told> {
  const told: Told[] = [];
  const parser = createParser({
    onEvent: ({ event: type, data }) => told.push({ type, data }),
    // The parser does not report the id of a block without data.
    onComment: (comment) => /^\d+$/.test(comment) && told.push({ position: Number(comment) }),
    onRetry: (returnMs) => told.push({ returnMs }),
  });
  const decoder = new TextDecoder();
  let timer = setTimeout(close, silentMs);
  try {
    for await (const chunk of chunksOf(body)) {
      clearTimeout(timer);
      parser.feed(decoder.decode(chunk, { stream: true }));
      yield* told.splice(0);
      timer = setTimeout(close, silentMs);
    }
  } catch {
    // What broke off goes on in another stream.
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

/** A request that opens a stream; its address and headers are asked for anew each time. */
export type Opening = Pick<Outgoing<unknown>, 'operation' | 'method' | 'url' | 'headers'>;

/**
 * Follows a stream of events, over as many connections as it takes, each event once and in order, until `signal` is
 * aborted.
 * @param after begins with what has a greater `seq`; undefined: with what comes from now on
 * @throws CardinalError (`gone` where what followed is not kept any more); of what passes, as the service being away,
 *   only where the first connection does not come about within the tries of the client's `retry`
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
      for await (const told of toldIn(body, () => end.abort())) {
        if ('returnMs' in told) returnMs = told.returnMs;
        else if ('position' in told) position = Math.max(position ?? 0, told.position);
        else {
          inVain = 0;
          const value: unknown = JSON.parse(told.data);
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
    // Streams that end without an event each time are opened less and less often.
    const wait = Math.min(transport.retry.capMs, returnMs * 2 ** Math.max(0, inVain - 1));
    await pause(wait * (0.5 + Math.random() / 2), signal).catch(() => {});
  }
}
