import { CardinalError } from '@cardinal/contracts';
import { framesOf } from './frames.ts';
import type { Page, Pages } from './pages.ts';
import type { Stream } from './stream.ts';

/** Whether an error says that events are not kept any more. */
export const isGone = (error: unknown): error is CardinalError =>
  error instanceof CardinalError && error.code === 'gone';

export type Hub = ReturnType<typeof createHub>;

/**
 * The streams of a workspace that have caught up: what is new is read once for all of them, and once it is asked who of
 * them sees it.
 * @param onFailure hears of a page that could not be had; it is tried again at the next look
 */
export const createHub = (workspaceId: string, pages: Pages, onFailure: (error: unknown) => void) => {
  const members = new Set<Stream>();
  /** Those that come while it is asked who sees a page: whether they have it, is known when it was sent. */
  const comers: (() => void)[] = [];
  /** What all members have. */
  let position = 0;
  /** How far the log is, as far as was heard. */
  let heard = 0;
  let isLooking = false;
  let isAsking = false;

  /** Sends the next page to all members. @returns whether there is more */
  const turn = async (): Promise<boolean> => {
    const before = position;
    const { events, through, last } = await pages.read(workspaceId, before);
    // Whoever came by now has everything before this page.
    const readers = [...members];
    isAsking = true;
    try {
      const users = readers.map(({ userId }) => userId);
      const sight = await pages.whoSees(workspaceId, users, events);
      const framesFor = framesOf(events);
      for (const stream of readers) stream.send(framesFor(stream.reader, sight(stream.userId)), through);
      position = Math.max(position, through);
    } finally {
      isAsking = false;
      for (const come of comers.splice(0)) come();
    }
    return position > before && position < Math.max(last, heard);
  };

  /** Sends what is new. */
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    try {
      while (members.size > 0 && (await turn()));
    } catch (error) {
      if (isGone(error)) for (const stream of members) stream.fail(error);
      else onFailure(error);
    } finally {
      isLooking = false;
    }
  };

  const admit = (stream: Stream): boolean => {
    if (stream.reader.position < position) return false;
    if (stream.isOpen()) members.add(stream);
    if (heard > position) void look();
    return true;
  };

  return {
    look,
    /** The log grew; it may have been heard before. */
    grew(last: number): void {
      heard = Math.max(heard, last);
      if (heard > position) void look();
    },
    /** What a stream begins with that wants what comes from now on: an empty page. @throws CardinalError `unavailable` */
    now: async (): Promise<Page> => {
      const last = members.size > 0 ? position : (await pages.read(workspaceId, null)).last;
      return { events: [], through: last, last };
    },
    /**
     * Takes a stream in.
     * @param last how far the log was when the stream read its last page
     * @returns false where it lacks what the others have, which it has to read first
     */
    join: (stream: Stream, last: number): Promise<boolean> => {
      // A follower may ask for what is far ahead; the others do not.
      if (members.size === 0 && !isLooking) position = Math.min(stream.reader.position, last);
      if (!isAsking) return Promise.resolve(admit(stream));
      return new Promise((resolve) => comers.push(() => resolve(admit(stream))));
    },
    leave: (stream: Stream): void => void members.delete(stream),
  };
};
