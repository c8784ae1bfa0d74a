import { boardsOf, type EventFilters, type LoggedEvent, shownTo } from '@cardinal/contracts';
import { prepared } from '@cardinal/db';
import { coalesce } from '@cardinal/runtime';
import { type LaneReading, type Read, readLane, readRaw } from '../log/read.ts';
import type { DeliveryContext } from './context.ts';
import { type Item, laneSize } from './lanes.ts';
import type { LeasedWebhook } from './leases.ts';

/** Events that are read at once. */
export const pageSize = 400;
/** Pages that are kept for others who stand at the same place, and how long, ms. */
const [keptPages, keptMs] = [64, 1_000];

/** What a turn wants to know before it sends. */
export interface Asked {
  /** What follows. `until`: the last that is read, undefined for all there is; `last`: how far the log is known to be. */
  page: { after: number; until: number | undefined; last: number } | undefined;
  /** What is next in lanes that wait. */
  lanes: readonly { lane: string; range: readonly [from: number, to: number] }[];
  /** What is known already, but was looked at a while ago. */
  again: readonly Item[];
  /** Whether the webhook is still as it was leased. */
  isDoubtful: boolean;
}

/** What is next in a lane that waits. */
export interface LanePart {
  lane: string;
  from: number;
  /** Everything of the lane up to here was looked at. */
  through: number;
  items: Item[];
  /** The first event, where it is there and not to be sent. */
  refused: LoggedEvent | undefined;
  /** What was not kept any more, first and last. */
  lost: readonly [number, number] | undefined;
}

/** A part of the log. */
export interface Page {
  items: Item[];
  /** Everything up to here was looked at. */
  through: number;
  last: number;
  /** What was not kept any more, first and last. */
  lost: readonly [number, number] | undefined;
}

export interface Reply {
  page: Page | undefined;
  lanes: readonly LanePart[];
  /** What was known, as it is to be sent now; undefined where it is not any more. */
  again: readonly { event: LoggedEvent; item: Item | undefined }[];
  /** Nobody changed the webhook or took it over. */
  isOurs: boolean;
}

/** Answers what the turn of a webhook asks. @throws CardinalError `unavailable` */
export type Reading = (asked: Asked) => Promise<Reply>;

/** $1 the workspace, $2 webhooks, $3 their leases, $4 the versions that are known */
const findOurs = prepared<{ id: string }>(
  'webhooks-as-leased',
  `select id from webhooks join unnest($2::uuid[], $3::uuid[], $4::integer[]) as known (id, lease_id, known) using (id, lease_id)
where workspace_id = $1 and version <= known`,
);

/** Shares what is read of logs among those who want the same at about the same time. */
const createShared = () => {
  const kept = new Map<string, { at: number; read: Promise<unknown> }>();
  return <T>(key: string, isKept: (value: T) => boolean, read: () => Promise<T>): Promise<T> => {
    const known = kept.get(key);
    if (known && performance.now() - known.at < keptMs) return known.read as Promise<T>;
    const begun = { at: performance.now(), read: read() };
    kept.delete(key);
    kept.set(key, begun);
    for (const oldest of kept.keys()) if (kept.size > keptPages) kept.delete(oldest);
    const forget = () => kept.get(key) === begun && kept.delete(key);
    begun.read.then((value) => isKept(value) || forget(), forget);
    return begun.read;
  };
};

const laneReading = (lane: string): LaneReading['of'] => {
  const [kind, id = null] = lane.split('/');
  return { kind: kind as LaneReading['of']['kind'], id };
};

/**
 * Reads logs for all webhooks of this process: a page once for those of a workspace that stand at the same place, and who
 * sees the boards of what is to be sent once for those of one creator.
 */
export const createReadings = ({ db, sees }: DeliveryContext) => {
  const shared = createShared();
  const sight = coalesce<{ workspace_id: string; user_id: string; boards: string[] }, Set<string>>({
    name: 'webhook_sight',
    laneOf: ({ workspace_id, user_id }) => `${workspace_id}/${user_id}`,
    run: async (asked) => {
      const [{ workspace_id, user_id }] = asked as [(typeof asked)[0]];
      const seen = await sees({ workspace_id, user_id }, [...new Set(asked.flatMap(({ boards }) => boards))]);
      return asked.map(() => seen);
    },
  });
  const checks = coalesce<LeasedWebhook, boolean>({
    name: 'webhook_leases',
    laneOf: ({ workspace_id }) => workspace_id,
    run: async (webhooks) => {
      const [{ workspace_id }] = webhooks as [LeasedWebhook];
      const columns = (['id', 'lease_id', 'version'] as const).map((name) => webhooks.map((one) => one[name]));
      const ours = new Set((await db.read((tx) => findOurs.run(tx, [workspace_id, ...columns]))).map(({ id }) => id));
      return webhooks.map(({ id }) => ours.has(id));
    },
  });

  const readPage = (webhook: LeasedWebhook, wanted: EventFilters, asked: NonNullable<Asked['page']>): Promise<Read> => {
    const { after, until, last } = asked;
    // Near the end of the log what one does not want is read along for the others.
    const filters = last - after <= pageSize ? {} : wanted;
    const key = JSON.stringify([webhook.workspace_id, after, until, last, filters]);
    const reading = {
      workspaceId: webhook.workspace_id,
      after,
      ...(until !== undefined && { until }),
      limit: pageSize,
    };
    return shared(
      key,
      ({ through }) => through > after,
      () => db.read((tx) => readRaw(tx, { ...reading, ...filters })),
    );
  };
  const readPart = (webhook: LeasedWebhook, lane: string, [from, to]: readonly [number, number]) => {
    const reading = { workspaceId: webhook.workspace_id, of: laneReading(lane), from, to, limit: laneSize };
    return shared(
      JSON.stringify(reading),
      () => true,
      () => db.read((tx) => readLane(tx, reading)),
    );
  };

  /**
   * @param webhook the one that is leased, as it is known by now
   */
  return (webhook: () => LeasedWebhook): Reading => {
    const { workspace_id, created_by, types, board_id } = webhook();
    const wanted = {
      ...(types.length > 0 && { types: types as EventFilters['types'] }),
      ...(board_id !== null && { board_id }),
    } as EventFilters;

    /** What of some events is to be sent, by number, as its creator sees it now. */
    const itemsOf = async (events: readonly LoggedEvent[]): Promise<Map<number, Item>> => {
      if (events.length === 0) return new Map();
      const boards = [...new Set(events.flatMap(boardsOf))];
      const seen = boards.length === 0 ? new Set() : await sight.submit({ workspace_id, user_id: created_by, boards });
      const reader = { userId: created_by, sees: (board: string) => seen.has(board) };
      return new Map(
        events.flatMap((event) => {
          const text = shownTo(event, reader, wanted);
          return text === undefined ? [] : [[event.seq, { event, text }] as const];
        }),
      );
    };

    return async ({ page, lanes, again, isDoubtful }) => {
      const isOurs = isDoubtful ? checks.submit(webhook()) : Promise.resolve(true);
      // Its rejection is awaited below.
      isOurs.catch(() => {});
      const [read, ...parts] = await Promise.all([
        page && readPage(webhook(), wanted, page),
        ...lanes.map(({ lane, range }) => readPart(webhook(), lane, range)),
      ]);
      const known = again.map(({ event }) => event);
      const items = await itemsOf([...(read?.events ?? []), ...parts.flatMap(({ events }) => events), ...known]);
      const of = (events: readonly LoggedEvent[]) => events.flatMap(({ seq }) => items.get(seq) ?? []);
      const partOf = ({ lane, range: [from, to] }: Asked['lanes'][number], at: number): LanePart => {
        const { events = [], oldest = 1 } = parts[at] ?? {};
        const first = events.find(({ seq }) => seq === from);
        return {
          ...{ lane, from, items: of(events), refused: first && !items.has(from) ? first : undefined },
          through: events.length < laneSize ? to : (events.at(-1)?.seq ?? to),
          lost: oldest > from ? [from, Math.min(oldest - 1, to)] : undefined,
        };
      };
      return {
        page: read && page && pageOf(read, page, of(read.events)),
        lanes: lanes.map(partOf),
        again: known.map((event) => ({ event, item: items.get(event.seq) })),
        isOurs: await isOurs,
      };
    };
  };
};

const pageOf = ({ through, last, oldest }: Read, { after, until }: NonNullable<Asked['page']>, items: Item[]): Page => {
  const end = until ?? last;
  const isLost = oldest > after + 1 && end > after;
  return {
    ...{ items, last, through: Math.max(after, through) },
    lost: isLost ? [after + 1, Math.min(oldest - 1, end)] : undefined,
  };
};
