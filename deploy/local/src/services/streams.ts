import { setTimeout as pause } from 'node:timers/promises';
import { declareStreams } from '@cardinal/bus';

const lookEveryMs = 5_000;

/**
 * What the broker must hold: the stream of events and its durable consumers. Repeating it changes nothing.
 * @param url of the deploy step's user
 * @param maxBytes how long the stream gets, where not as usual
 */
export const declareBusStreams = async (url: string, maxBytes?: number): Promise<void> => {
  await declareStreams({ url, ...(maxBytes ? { maxBytes } : {}) });
};

/**
 * Makes what the broker lost meanwhile, until it is stopped: services fill the stream again, but they may not make it.
 * @param tell receives a line for each loss
 */
export const keepStreams = (url: string, maxBytes: number, tell: (line: string) => void) => {
  const stopping = new AbortController();
  const keep = async () => {
    for (;;) {
      await pause(lookEveryMs, undefined, { signal: stopping.signal });
      // Where the broker does not answer, that is told elsewhere.
      const made = await declareStreams({ url, onlyMissing: true, maxBytes }).catch(() => []);
      if (made.length > 0) tell(`the broker lacked ${made.join(', ')}: declared again`);
    }
  };
  // Rejects only where the pause was cut short by the stop.
  const kept = keep().catch(() => {});
  return {
    stop: async () => {
      stopping.abort();
      await kept;
    },
  };
};
