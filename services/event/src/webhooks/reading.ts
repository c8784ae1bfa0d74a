import { boardsOf, type EventFilters, type LoggedEvent, shownTo } from '@cardinal/contracts';
import { prepared } from '@cardinal/db';
import { coalesce } from '@cardinal/runtime';
import { type LaneReading, type Read, readLane, readRaw } from '../log/read.ts';
import type { Sight } from '../log/sees.ts';
import type { DeliveryContext } from './context.ts';
import { type Item, laneSize } from './lanes.ts';
import type { LeasedWebhook } from './leases.ts';

/** Events of one page of the log. */
export const pageSize = 400;
/** Size of the cache of reads that sessions at the same position share, and how long an entry is valid, ms. */
const [cachedReads, cachedMs] = [64, 1_000];

/** What a delivery session asks for before it sends. */
export interface ReadRequest {
  /** The next page of the log. `until`: the last sequence number to read, undefined for no limit; `last`: the known end. */
  page: { after: number; until: number | undefined; last: number } | undefined;
  /** The next events of waiting lanes; `range` is inclusive. */
  lanes: readonly { lane: string; range: readonly [from: number, to: number] }[];
  /** Known events whose visibility check is too old. */
  recheck: readonly Item[];
  /** Whether to check that the lease and the version of the webhook are still the known ones. */
  checksLease: boolean;
}

/** The next events of a waiting lane. */
export interface LanePart {
  lane: string;
  from: number;
  /** The lane was read up to this sequence number. */
  through: number;
  items: Item[];
  /** The event at `from`, if it exists and must not be sent. */
  excluded: LoggedEvent | undefined;
  /** First and last sequence number of events that are no longer kept. */
  missing: readonly [number, number] | undefined;
}

/** A page of the log. */
export interface Page {
  items: Item[];
  /** The log was read up to this sequence number. */
  through: number;
  /** The last sequence number of the log. */
  last: number;
  /** First and last sequence number of events that are no longer kept. */
  missing: readonly [number, number] | undefined;
}

export interface ReadReply {
  page: Page | undefined;
  lanes: readonly LanePart[];
  /** The events of `recheck` as they are to be sent now; `item` undefined: not to be sent any more. */
  rechecked: readonly { event: LoggedEvent; item: Item | undefined }[];
  /** The lease and the version of the webhook are the known ones, or were not checked. */
  isStillLeased: boolean;
}

/** Reads what a delivery session asks for. @throws CardinalError `unavailable` if the card service does not answer */
export type Reader = (request: ReadRequest) => Promise<ReadReply>;

/** $1 workspace, $2 webhooks, $3 their lease ids, $4 their known versions */
const findLeased = prepared<{ id: string }>(
  'webhooks-as-leased',
  `select id from webhooks join unnest($2::uuid[], $3::uuid[], $4::integer[]) as known (id, lease_id, known) using (id, lease_id)
where workspace_id = $1 and version <= known`,
);

/** Creates a cache in which concurrent and recent reads of the same key share one query. */
const createReadCache = () => {
  const cache = new Map<string, { at: number; read: Promise<unknown> }>();
  return <T>(key: string, isCacheable: (value: T) => boolean, read: () => Promise<T>): Promise<T> => {
    const known = cache.get(key);
    if (known && performance.now() - known.at < cachedMs) return known.read as Promise<T>;
    const begun = { at: performance.now(), read: read() };
    cache.delete(key);
    cache.set(key, begun);
    for (const oldest of cache.keys()) if (cache.size > cachedReads) cache.delete(oldest);
    const evict = () => cache.get(key) === begun && cache.delete(key);
    begun.read.then((value) => isCacheable(value) || evict(), evict);
    return begun.read;
  };
};

const nothing: Awaited<ReturnType<Sight>> = { seen: new Set(), open: new Set() };

const laneOfKey = (lane: string): LaneReading['of'] => {
  const [kind, id = null] = lane.split('/');
  return { kind: kind as LaneReading['of']['kind'], id };
};

/**
 * Creates the readers of all sessions of a process. Sessions share work: webhooks of a workspace at the same position share a
 * page of the log, and webhooks of one creator share a question to the card service which boards the creator sees.
 */
export const createReaders = ({ db, sight }: DeliveryContext) => {
  const cached = createReadCache();
  const questions = coalesce<{ workspace_id: string; user_id: string; boards: string[] }, Awaited<ReturnType<Sight>>>({
    name: 'webhook_sight',
    laneOf: ({ workspace_id, user_id }) => `${workspace_id}/${user_id}`,
    run: async (questions) => {
      const [{ workspace_id, user_id }] = questions as [(typeof questions)[0]];
      const answer = await sight({ workspace_id, user_id }, [...new Set(questions.flatMap(({ boards }) => boards))]);
      return questions.map(() => answer);
    },
  });
  const checks = coalesce<LeasedWebhook, boolean>({
    name: 'webhook_leases',
    laneOf: ({ workspace_id }) => workspace_id,
    run: async (webhooks) => {
      const [{ workspace_id }] = webhooks as [LeasedWebhook];
      const columns = (['id', 'lease_id', 'version'] as const).map((name) => webhooks.map((one) => one[name]));
      const leased = new Set(
        (await db.read((tx) => findLeased.run(tx, [workspace_id, ...columns]))).map(({ id }) => id),
      );
      return webhooks.map(({ id }) => leased.has(id));
    },
  });

  const readPage = (
    webhook: LeasedWebhook,
    wanted: EventFilters,
    page: NonNullable<ReadRequest['page']>,
  ): Promise<Read> => {
    const { after, until, last } = page;
    // Near the end of the log a page is read without filters, so that webhooks with different filters share it.
    const filters = last - after <= pageSize ? {} : wanted;
    const key = JSON.stringify([webhook.workspace_id, after, until, last, filters]);
    const reading = {
      workspaceId: webhook.workspace_id,
      after,
      ...(until !== undefined && { until }),
      limit: pageSize,
    };
    return cached(
      key,
      ({ through }) => through > after,
      () => db.read((tx) => readRaw(tx, { ...reading, ...filters })),
    );
  };
  const readPart = (webhook: LeasedWebhook, lane: string, [from, to]: readonly [number, number]) => {
    const reading = { workspaceId: webhook.workspace_id, of: laneOfKey(lane), from, to, limit: laneSize };
    return cached(
      JSON.stringify(reading),
      () => true,
      () => db.read((tx) => readLane(tx, reading)),
    );
  };

  /** @param webhook returns the leased webhook as its session knows it now */
  return (webhook: () => LeasedWebhook): Reader => {
    const { workspace_id, created_by, types, board_id, changed, private_boards } = webhook();
    const wanted = {
      ...(types.length > 0 && { types: types as EventFilters['types'] }),
      ...(board_id !== null && { board_id }),
    } as EventFilters;

    /** Returns the events to send, by sequence number, reduced to what the webhook's creator sees now. */
    const itemsOf = async (events: readonly LoggedEvent[]): Promise<Map<number, Item>> => {
      if (events.length === 0) return new Map();
      const boards = [...new Set(events.flatMap(boardsOf))];
      const { seen, open } =
        boards.length === 0 ? nothing : await questions.submit({ workspace_id, user_id: created_by, boards });
      const isFor = (board: string) => private_boards || board === board_id || open.has(board);
      const reader = {
        // To a webhook without private boards, a removal from one takes nothing out of sight.
        userId: private_boards || board_id !== null ? created_by : undefined,
        sees: (board: string) => seen.has(board) && isFor(board),
      };
      return new Map(
        events.flatMap((event) => {
          const text = shownTo(event, reader, { ...wanted, ...(changed.length > 0 && { changed }) });
          return text === undefined ? [] : [[event.seq, { event, text }] as const];
        }),
      );
    };

    return async ({ page, lanes, recheck, checksLease }) => {
      const isStillLeased = checksLease ? checks.submit(webhook()) : Promise.resolve(true);
      // Awaited below; until then a rejection must not count as unhandled.
      isStillLeased.catch(() => {});
      const [read, ...parts] = await Promise.all([
        page && readPage(webhook(), wanted, page),
        ...lanes.map(({ lane, range }) => readPart(webhook(), lane, range)),
      ]);
      const known = recheck.map(({ event }) => event);
      const items = await itemsOf([...(read?.events ?? []), ...parts.flatMap(({ events }) => events), ...known]);
      const itemsIn = (events: readonly LoggedEvent[]) => events.flatMap(({ seq }) => items.get(seq) ?? []);
      const partOf = ({ lane, range: [from, to] }: ReadRequest['lanes'][number], at: number): LanePart => {
        const { events = [], oldest = 1 } = parts[at] ?? {};
        const first = events.find(({ seq }) => seq === from);
        return {
          lane,
          from,
          items: itemsIn(events),
          excluded: first && !items.has(from) ? first : undefined,
          through: events.length < laneSize ? to : (events.at(-1)?.seq ?? to),
          missing: oldest > from ? [from, Math.min(oldest - 1, to)] : undefined,
        };
      };
      return {
        page: read && page && pageOf(read, page, itemsIn(read.events)),
        lanes: lanes.map(partOf),
        rechecked: known.map((event) => ({ event, item: items.get(event.seq) })),
        isStillLeased: await isStillLeased,
      };
    };
  };
};

const pageOf = (
  { through, last, oldest }: Read,
  { after, until }: NonNullable<ReadRequest['page']>,
  items: Item[],
): Page => {
  const end = until ?? last;
  const isMissing = oldest > after + 1 && end > after;
  return {
    items,
    last,
    through: Math.max(after, through),
    missing: isMissing ? [after + 1, Math.min(oldest - 1, end)] : undefined,
  };
};
