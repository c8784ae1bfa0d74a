import { createReadStream } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import NodeClam from 'clamscan';

/** Looks for viruses. */
export interface Scanner {
  /** @throws where the answer is anything but a clear yes or no */
  isInfected(path: string): Promise<boolean>;
}

/** Checks for type only. */
export const noScanner: Scanner = { isInfected: async () => false };

export interface ClamdOptions {
  /** `tcp://host:port` or `unix:///path`. */
  url: string;
  /** The longest that one scan may take, in milliseconds. */
  timeoutMs: number;
}

/** Sends files to a clamd, INSTREAM; it may be away when we start. */
export const clamd = async ({ url, timeoutMs }: ClamdOptions): Promise<Scanner> => {
  const { protocol, hostname, port, pathname } = new URL(url);
  const where = protocol === 'unix:' ? { socket: pathname } : { host: hostname, port: Number(port || 3310) };
  const clam = await new NodeClam().init({
    preference: 'clamdscan',
    clamscan: { active: false },
    clamdscan: { ...where, active: true, timeout: timeoutMs, localFallback: false, bypassTest: true },
  });

  return {
    async isInfected(path) {
      const stream = createReadStream(path);
      const over = new AbortController();
      try {
        // The library settles on a reply or an error of the connection only.
        const timeout = pause(timeoutMs, undefined, { signal: over.signal, ref: false });
        const result = await Promise.race([clam.scanStream(stream), timeout]);
        if (result?.isInfected !== true && result?.isInfected !== false) throw new Error('clamd gave no clear answer');
        return result.isInfected;
      } finally {
        over.abort();
        stream.destroy();
      }
    },
  };
};
