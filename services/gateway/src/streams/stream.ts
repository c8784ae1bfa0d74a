import type { ServerResponse } from 'node:http';
import type { CardinalError, Wanted } from '@cardinal/contracts';
import { errorFrame, farewellFrame, firstFrame, placeFrame, type Reader } from './frames.ts';

/** How often a stream sends its position, ms. It shows proxies and clients that the stream lives. */
const placeEveryMs = 15_000;
/** How long a client may read nothing while data waits for it, ms. */
const stalledMs = 60_000;

/** Why a stream ended. */
export type Ending = 'client' | 'token' | 'slow' | 'gone' | 'stopping';

export type Stream = ReturnType<typeof openStream>;

interface StreamOptions {
  userId: string;
  wanted: Wanted;
  /** The follower has, or does not want, everything up to here. */
  position: number;
  requestId: string;
  /** When its token ends, epoch ms. */
  expiresAt: number;
  /** Bytes that may wait for the client before its connection is cut. */
  maxWaiting: number;
  onEnd(ending: Ending): void;
}

/** Follows a log over a response whose headers have been sent. */
export const openStream = (response: ServerResponse, options: StreamOptions) => {
  const { userId, requestId, maxWaiting, expiresAt } = options;
  const reader: Reader = { wanted: options.wanted, position: options.position };
  let ending: Ending | undefined;
  let placedAt = Date.now();
  let taken = 0;
  let takenAt = placedAt;

  const write = (bytes: string | Buffer): void => {
    if (ending) return;
    if (response.writableLength > maxWaiting) cut();
    else response.write(bytes);
  };
  const end = (why: Ending, lastFrame = ''): void => {
    if (ending) return;
    ending = why;
    response.end(lastFrame);
  };
  /** Drops what waits for a client that does not read: it resumes from what it has. */
  const cut = (): void => {
    ending ??= 'slow';
    response.destroy();
  };
  const isStalled = (now: number): boolean => {
    const { writableLength, socket } = response;
    const written = (socket?.bytesWritten ?? 0) - writableLength;
    if (writableLength === 0 || written !== taken) {
      taken = written;
      takenAt = now;
    }
    return now - takenAt >= stalledMs;
  };

  response.once('close', () => {
    ending ??= 'client';
    options.onEnd(ending);
  });
  response.write(firstFrame(reader.position));

  return {
    userId,
    reader,
    isOpen: () => ending === undefined,
    /** Sends the follower's part of a page. The follower then has everything up to `through`. */
    send(frames: Buffer | undefined, through: number): void {
      if (Date.now() >= expiresAt) end('token');
      if (frames) write(frames);
      reader.position = Math.max(reader.position, through);
    },
    /** Resolves when the client has read what waited, or is gone. */
    taken: (): Promise<void> =>
      new Promise((resolve) => {
        if (ending || !response.writableNeedDrain) return resolve();
        const done = () => {
          response.off('drain', done).off('close', done);
          resolve();
        };
        response.once('drain', done).once('close', done);
      }),
    /** Sends the position and applies time-outs; to be called every second. @returns whether it sent the position */
    tend(now: number): boolean {
      if (now >= expiresAt) end('token');
      else if (isStalled(now)) cut();
      if (ending || now - placedAt < placeEveryMs) return false;
      placedAt = now;
      write(placeFrame(reader.position));
      return true;
    },
    /** Ends it: its token is not valid any more. */
    expire: () => end('token'),
    /** Ends it with an error. */
    fail: (error: CardinalError) => end('gone', errorFrame(error, requestId)),
    /** Ends it: its follower is to reconnect at once, to another gateway. */
    stop: () => end('stopping', farewellFrame()),
  };
};
