import { CardinalError } from '@cardinal/contracts';
import { framesOf } from './frames.ts';
import type { Page, Pages } from './pages.ts';
import type { Stream } from './stream.ts';

/** Whether an error says that events are not kept any more. */
export const isGone = (error: unknown): error is CardinalError =>
  error instanceof CardinalError && error.code === 'gone';

export type Hub = ReturnType<typeof createHub>;

/**
 * The streams of a workspace that have caught up. One read of the log and one question about visibility serve all of them.
 * @param onFailure called when a page could not be read; the next look tries again
 */
export const createHub = (workspaceId: string, pages: Pages, onFailure: (error: unknown) => void) => {
  const members = new Set<Stream>();
  /** Streams that join while a page is on its way: whether they have it, is known once it was sent. */
  const joining: (() => void)[] = [];
  /** What all members have. */
  let position = 0;
  /** The end of the log, by the latest signal or read. */
  let heard = 0;
  let isLooking = false;
  let isAsking = false;

  /** Sends the next page to all members. @returns whether there is more */
  const sendPage = async (): Promise<boolean> => {
    const before = position;
    const { events, through, last } = await pages.read(workspaceId, before);
    // Streams that joined by now have everything before this page.
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
      for (const come of joining.splice(0)) come();
    }
    return position > before && position < Math.max(last, heard);
  };

  /** Sends what is new. */
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    try {
      while (members.size > 0 && (await sendPage()));
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
    /** Notes that the log grew; may be called twice for one growth. */
    grew(last: number): void {
      heard = Math.max(heard, last);
      if (heard > position) void look();
    },
    /** The first page of a stream that wants new events alone: an empty one. @throws CardinalError `unavailable` */
    now: async (): Promise<Page> => {
      const last = members.size > 0 ? position : (await pages.read(workspaceId, null)).last;
      return { events: [], through: last, last };
    },
    /**
     * Adds a stream.
     * @param last how far the log was when the stream read its last page
     * @returns false where it lacks events that the others have: it has to read them first
     */
    join: (stream: Stream, last: number): Promise<boolean> => {
      // A follower may name a position ahead of the log; the hub must not.
      if (members.size === 0 && !isLooking) position = Math.min(stream.reader.position, last);
      if (!isAsking) return Promise.resolve(admit(stream));
      return new Promise((resolve) => joining.push(() => resolve(admit(stream))));
    },
    leave: (stream: Stream): void => void members.delete(stream),
  };
};
