import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { received, refusalOf } from './messages.ts';

/** The most bytes of a line: readers of Python's asyncio stop at 64 KiB. */
export const maxLineBytes = 60 * 1024;
/** The most characters of an incoming message; the gateway takes a body of a mebibyte. */
const maxMessageLength = 8 * 1024 * 1024;

type Id = string | number;

const tooLong = (bytes: number) =>
  `The answer has ${bytes} bytes, more than a line may have (${maxLineBytes}): ask for less at once, with a \`limit\` or a filter`;

/**
 * Messages as lines. Each request is answered, also where it is no valid message, and where the input ends first, as in a pipe.
 * No line is longer than {@link maxLineBytes}.
 */
export const lineTransport = (input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Transport => {
  const unanswered = new Set<Id>();
  const decoder = new TextDecoder();
  let begun = '';
  let isEnded = false;
  let isClosed = false;

  const write = (message: object): Promise<void> =>
    new Promise((resolve, reject) => {
      output.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  const report = (error: unknown) => transport.onerror?.(error as Error);

  const takeOne = (raw: unknown): void => {
    const read = received(raw);
    if ('refusal' in read) {
      // Nobody waits for an answer to a message without id and method.
      void write(read.refusal).catch(report);
      return;
    }
    const { message } = read;
    if ('id' in message && 'method' in message) unanswered.add(message.id);
    if ('method' in message && message.method === 'notifications/cancelled') {
      // A cancelled request is not answered.
      unanswered.delete((message.params as { requestId?: Id } | undefined)?.requestId ?? '');
    }
    transport.onmessage?.(message);
  };
  const take = (line: string): void => {
    if (line.trim() === '') return;
    let raw: unknown;
    try {
      raw = JSON.parse(line);
    } catch {
      void write(refusalOf(null, 'parse', 'A line must be one message of JSON')).catch(report);
      return;
    }
    // Several in one, which a former revision had, are taken one by one.
    for (const one of Array.isArray(raw) && raw.length > 0 ? raw : [raw]) takeOne(one);
  };
  const onData = (chunk: Buffer): void => {
    const lines = (begun + decoder.decode(chunk, { stream: true })).split('\n');
    begun = lines.pop() ?? '';
    for (const line of lines) take(line);
    if (begun.length <= maxMessageLength) return;
    report(new Error(`a message has more than ${maxMessageLength} characters`));
    void transport.close();
  };
  const closeWhenAnswered = (): void => {
    if (isEnded && unanswered.size === 0) void transport.close();
  };
  const onEnd = (): void => {
    isEnded = true;
    take(begun);
    begun = '';
    closeWhenAnswered();
  };
  const onOutputError = (error: Error): void => {
    report(error);
    void transport.close();
  };

  const transport: Transport = {
    async start() {
      input.on('data', onData).on('end', onEnd).on('error', report);
      output.on('error', onOutputError);
    },
    async send(message: JSONRPCMessage) {
      const bytes = Buffer.byteLength(JSON.stringify(message));
      const isAnswer = 'id' in message && !('method' in message);
      try {
        if (bytes < maxLineBytes) await write(message);
        else if (isAnswer) await write({ ...refusalOf(message.id, 'request', tooLong(bytes)) });
        else report(new Error(tooLong(bytes)));
      } finally {
        if (isAnswer) unanswered.delete(message.id as Id);
        closeWhenAnswered();
      }
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      input.off('data', onData).off('end', onEnd);
      input.pause();
      transport.onclose?.();
    },
  };
  return transport;
};
