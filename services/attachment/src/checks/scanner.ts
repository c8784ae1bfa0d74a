import { createReadStream } from 'node:fs';
import { connect, type NetConnectOpts } from 'node:net';
import { addAbortSignal } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Logger } from '@cardinal/runtime';
import type { Config } from '../config.ts';

/**
 * Whether a file has a virus.
 * @throws where the answer is not a clear yes or no, and when the signal aborts
 */
export type Scanner = (path: string, signal: AbortSignal) => Promise<boolean>;

/** The answer of clamd to INSTREAM: `stream: OK` or `stream: <name> FOUND`; anything else is invalid. */
const answer = /^stream: (?:(OK)|.+ FOUND)\0$/;

/** Each piece with its length in front, then a length of zero (clamd(8), INSTREAM). */
async function* framed(source: AsyncIterable<Uint8Array>) {
  yield Buffer.from('zINSTREAM\0');
  for await (const piece of source) {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(piece.length);
    yield length;
    yield piece;
  }
  yield Buffer.alloc(4);
}

/**
 * Makes a scanner that sends files to a clamd, no faster than it reads them. It need not run yet.
 * @param url `tcp://host:port` or `unix:///path`
 * @param timeoutMs longest time of one scan
 */
export const clamd = (url: string, timeoutMs: number): Scanner => {
  const { protocol, hostname, port, pathname } = new URL(url);
  const where: NetConnectOpts =
    protocol === 'unix:' ? { path: pathname } : { host: hostname, port: Number(port || 3310) };

  return async (path, signal) => {
    const socket = addAbortSignal(AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]), connect(where));
    const answered = new AbortController();
    // It may answer before it has everything, or hang up, which ends the sending.
    pipeline(createReadStream(path), framed, socket, { end: false, signal: answered.signal }).catch((error) =>
      socket.destroy(error),
    );
    try {
      const clear = answer.exec(await text(socket));
      if (!clear) throw new Error('clamd gave no clear answer');
      return clear[1] !== 'OK';
    } finally {
      answered.abort();
      socket.destroy();
    }
  };
};

/** Opens the configured scanner. Without one it logs that, and finds no virus. */
export const openScanner = (config: Config, logger: Logger): Scanner => {
  if (config.CLAMD_URL) return clamd(config.CLAMD_URL, config.CLAMD_TIMEOUT_MS);
  logger.info('CLAMD_URL is not set: files are checked for type only');
  return async () => false;
};
