import { boardsOf, type EventFilters, isWanted, type LoggedEvent, shownTo } from '@cardinal/contracts';
import { readRaw, readSeqs } from '../log/read.ts';
import type { DeliveryContext } from './context.ts';
import type { Item } from './lanes.ts';
import type { LeasedWebhook } from './leases.ts';

/** The events of a card are sent in order; so are those of a board, and those of neither. */
const laneOf = ({ card_id, board_id }: LoggedEvent): string => card_id ?? board_id ?? 'workspace';

/** A part of the log, as a webhook gets it. */
export interface Page {
  items: Item[];
  /** Everything up to here was looked at. */
  through: number;
  hasMore: boolean;
  /** What was not kept any more, first and last. */
  lost: readonly [number, number] | undefined;
}

/** Reads events as the creator of a webhook sees them now. */
export const createReading = ({ db, sees, now }: DeliveryContext, webhook: LeasedWebhook) => {
  const { workspace_id, created_by, types, board_id } = webhook;
  const wanted = {
    ...(types.length > 0 && { types: types as EventFilters['types'] }),
    ...(board_id !== null && { board_id }),
  };

  /** Asks who sees the boards of some events, and answers what of each the creator gets. */
  const textsOf = async (events: readonly LoggedEvent[]): Promise<Map<number, string>> => {
    const seen = await sees({ workspace_id, user_id: created_by }, [...new Set(events.flatMap(boardsOf))]);
    const isSeen = (board: string) => seen.has(board);
    return new Map(
      events.flatMap((event) => {
        const text = isWanted(event, wanted, isSeen) ? shownTo(event, isSeen) : undefined;
        return text === undefined ? [] : [[event.seq, text] as const];
      }),
    );
  };

  return {
    /** Reads what follows. @param until the last that is read; left out: all there is */
    page: async (after: number, until: number | undefined, limit: number): Promise<Page> => {
      const to = until === undefined ? {} : { until };
      const { events, through, last, oldest } = await db.read((tx) =>
        readRaw(tx, { workspaceId: workspace_id, after, ...to, limit, ...wanted }),
      );
      const texts = await textsOf(events);
      const dueAt = now().getTime();
      const items = events.flatMap((event): Item[] => {
        const text = texts.get(event.seq);
        if (text === undefined) return [];
        const { seq, id, type } = event;
        const begins = { readAt: dueAt, attempts: 0, firstFailedAt: null, dueAt, isStored: false };
        return [{ seq, id, type, lane: laneOf(event), text, ...begins }];
      });
      const end = until ?? last;
      const isLost = oldest > after + 1 && end > after;
      return {
        items,
        through: Math.max(after, through),
        hasMore: Math.max(after, through) < end,
        lost: isLost ? [after + 1, Math.min(oldest - 1, end)] : undefined,
      };
    },
    /**
     * Reads again what waits, and gives each its text, who is still to get it.
     * @returns why others are not to be sent any more
     */
    again: async (items: readonly Item[]): Promise<Map<Item, string>> => {
      const seqs = items.map(({ seq }) => seq);
      const events = await db.read((tx) => readSeqs(tx, workspace_id, seqs));
      const kept = new Set(events.map(({ seq }) => seq));
      const texts = await textsOf(events);
      const lost = new Map<Item, string>();
      const readAt = now().getTime();
      for (const item of items) {
        Object.assign(item, { text: texts.get(item.seq), readAt });
        if (item.text !== undefined) continue;
        const why = kept.has(item.seq) ? 'it is not for this webhook any more' : 'it is not kept any more';
        lost.set(item, `not sent: ${why}`);
      }
      return lost;
    },
  };
};
