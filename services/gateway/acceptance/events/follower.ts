import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@cardinal/testkit';
import { expect } from 'vitest';
import type { Body } from '../workspace.ts';
import { openStream, readStream } from './stream.ts';

/** Between two attempts, ms. */
const againMs = 50;

/**
 * A client that follows a workspace from its beginning over streams (CONTRACT 9.3): where one breaks
 * off it goes on at the next gateway, after the last event that it has.
 */
export const startFollower = (baseUrls: () => readonly string[], token: string, from: number | undefined = 0) => {
  const events: Body[] = [];
  let stream = new AbortController();
  let [isOver, streams, turn] = [false, 0, 0];
  const failures: string[] = [];
  /** Opens one stream after the other. */
  const follow = async () => {
    for (; !isOver; turn += 1) {
      stream = new AbortController();
      const all = baseUrls();
      const baseUrl = all[turn % all.length] as string;
      const last = events.at(-1)?.seq ?? from;
      try {
        const response = await openStream({ baseUrl, token, lastEventId: last, signal: stream.signal });
        if (response.status === 200) streams += 1;
        else if (response.status !== 503) failures.push(`${response.status} ${await response.text()}`);
        if (response.status === 200) await readStream(response, (event) => void events.push(event));
        else await response.body?.cancel();
      } catch (error) {
        // A stream that ends before its time is opened anew, whatever ended it.
        if (error instanceof Error && error.message.startsWith('message')) failures.push(error.message);
      }
      if (!isOver) await pause(againMs);
    }
  };
  const following = follow();
  return {
    /** What came, in the order in which it came. */
    events,
    /** Answers that no follower may get. */
    failures,
    /** How many streams were opened. */
    streams: () => streams,
    /** Breaks the stream off, as a lost connection does; it goes on at the next gateway. */
    cut: () => stream.abort(),
    /** Resolves when the event about `id` is there. */
    until: (id: string) =>
      eventually(() =>
        expect(
          events.findLast(({ subject }) => subject.id === id),
          `the event is there after ${events.length} others, ${streams} streams, ${failures.at(-1)}`,
        ).toBeDefined(),
      ),
    stop: async () => {
      isOver = true;
      stream.abort();
      await following;
    },
  };
};
export type Follower = ReturnType<typeof startFollower>;
