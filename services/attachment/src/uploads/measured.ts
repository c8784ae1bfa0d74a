import { CardinalError } from '@cardinal/contracts';

/** A stream that counts what passes. */
export interface Measured {
  source: AsyncIterable<Uint8Array>;
  size(): number;
}

export const tooLarge = (maxBytes: number) =>
  new CardinalError('payload_too_large', `A file may have at most ${maxBytes} bytes`);

/**
 * Lets bytes pass up to the limit. The source rejects with CardinalError `payload_too_large` beyond it, and with the
 * signal's reason once that aborts.
 */
export const measured = (from: AsyncIterable<Uint8Array>, maxBytes: number, signal: AbortSignal): Measured => {
  let size = 0;
  async function* pass() {
    for await (const chunk of from) {
      signal.throwIfAborted();
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      yield chunk;
    }
  }
  return { source: pass(), size: () => size };
};
