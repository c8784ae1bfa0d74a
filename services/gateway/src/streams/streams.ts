import { setTimeout as pause } from 'node:timers/promises';
import type { Bus } from '@cardinal/bus';
import { apiKeysEnded, logsGrew } from '@cardinal/contracts';
import { counter, gauge } from '@cardinal/runtime';
import { framesOf } from './frames.ts';
import { createHub, type Hub, isGone } from './hub.ts';
import { type Page, pagesOf } from './pages.ts';
import type { Ending, Stream } from './stream.ts';

/** How often streams are tended, and logs without a signal are read, ms. */
const tendEveryMs = 1_000;

const ended = counter<'reason'>({
  name: 'cardinal_streams_ended_total',
  help: 'Streams of events that ended, by reason',
  labels: ['reason'],
});

/** What a stream is followed with. */
interface Following {
  workspaceId: string;
  /** Its first page, read before it was opened. */
  first: Page;
  /** Rejects when its token is not valid any more. */
  check(): Promise<unknown>;
}

/**
 * The open streams (ADR 0067). Each reads what it lacks until it has caught up with its workspace's hub.
 * @param onFailure called when a read failed; it is tried again
 */
export const streamsOf = (
  bus: Pick<Bus, 'call' | 'onSignal'>,
  { timeoutMs, onFailure }: { timeoutMs: number; onFailure(error: unknown): void },
) => {
  const pages = pagesOf(bus, timeoutMs);
  const open = new Map<Stream, Following>();
  const hubs = new Map<string, { hub: Hub; streams: number }>();

  const tend = () => {
    const now = Date.now();
    for (const [stream, { check }] of open) if (stream.tend(now)) check().catch(stream.expire);
    for (const { hub } of hubs.values()) void hub.look();
  };
  const timer = setInterval(tend, tendEveryMs).unref();
  bus.onSignal(logsGrew, ({ logs }) => {
    for (const { workspace_id, last } of logs) hubs.get(workspace_id)?.hub.grew(last);
  });
  // The keys are forgotten by now: their streams end at once.
  bus.onSignal(apiKeysEnded, () => {
    for (const [stream, { check }] of open) check().catch(stream.expire);
  });
  gauge({ name: 'cardinal_streams_open', help: 'Streams of events that are open' }, (one) => one.set(open.size));

  const sendPage = async (workspaceId: string, stream: Stream, { events, through }: Page) => {
    const sight = await pages.whoSees(workspaceId, [stream.userId], events);
    stream.send(framesOf(events)(stream.reader, sight(stream.userId)), through);
    await stream.taken();
  };

  const catchUp = async (hub: Hub, stream: Stream, { workspaceId, first }: Following) => {
    for (let page = first; stream.isOpen(); ) {
      try {
        // The page's events that were sent already are skipped.
        await sendPage(workspaceId, stream, page);
        if (page.through >= page.last && (await hub.join(stream, page.last))) return;
        page = await pages.read(workspaceId, stream.reader.position, stream.reader.wanted);
      } catch (error) {
        if (isGone(error)) return stream.fail(error);
        onFailure(error);
        await pause(tendEveryMs);
      }
    }
  };

  return {
    pages,
    /** The hub of a workspace; it lives while a stream needs it. */
    enter(workspaceId: string): { hub: Hub; leave(): void } {
      const entry = hubs.get(workspaceId) ?? { hub: createHub(workspaceId, pages, onFailure), streams: 0 };
      hubs.set(workspaceId, entry);
      entry.streams += 1;
      const leave = () => {
        entry.streams -= 1;
        if (entry.streams === 0) hubs.delete(workspaceId);
      };
      return { hub: entry.hub, leave };
    },
    /** Sends a stream the events that it lacks, then new ones, until it ends. */
    follow(hub: Hub, stream: Stream, following: Following): void {
      open.set(stream, following);
      void catchUp(hub, stream, following);
    },
    /** Forgets a stream that ended. */
    forget(hub: Hub, stream: Stream, ending: Ending): void {
      open.delete(stream);
      hub.leave(stream);
      ended().inc({ reason: ending });
    },
    /** Ends all of them. */
    stop(): void {
      clearInterval(timer);
      for (const stream of open.keys()) stream.stop();
    },
  };
};
