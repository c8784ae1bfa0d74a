import {
  type dependencyChanged,
  findExisting,
  type InternalEventOf,
  projectDependency,
  summarizeCards,
} from '@cardinal/contracts';
import { startFeedDouble, testBus } from '@cardinal/testkit';
import { v7 } from 'uuid';

/** A card as the tests define it. Without `seenBy`, all users of its workspace see it. */
interface KnownCard {
  identifier: string;
  seenBy?: string[];
  board_id?: string;
  board_deleted?: boolean;
}

/** The board of cards for which the test names none. */
export const usualBoard = v7();

/** A stand-in for the card service: tests define its cards, and see what was projected. */
export const startCardDouble = async (natsUrl: string) => {
  const bus = await testBus(natsUrl, 'card');
  const cards = new Map<string, KnownCard>();
  const projected: InternalEventOf<typeof dependencyChanged>[] = [];
  const double = {
    feed: startFeedDouble(bus, 'card'),
    cards,
    projected,
    /** The projection waits for it before it answers. */
    holdUp: undefined as Promise<void> | undefined,
    /** Called before cards are answered. */
    beforeSummary: undefined as (() => Promise<void>) | undefined,
    bus,
    /** Creates cards of a workspace; their identifiers count from 1. */
    add: (workspaceId: string, count: number, more: Partial<KnownCard> = {}): string[] =>
      Array.from({ length: count }, () => {
        const id = v7();
        cards.set(`${workspaceId}/${id}`, { identifier: `MAIN-${cards.size + 1}`, ...more });
        return id;
      }),
    identifierOf: (workspaceId: string, id: string) => cards.get(`${workspaceId}/${id}`)?.identifier,
  };
  bus.serve(summarizeCards, async ({ workspace_id, user_id, card_ids }) => {
    await double.beforeSummary?.();
    return card_ids.flatMap((id) => {
      const card = cards.get(`${workspace_id}/${id}`);
      if (!card || (card.seenBy && !card.seenBy.includes(user_id))) return [];
      const { identifier, board_id = usualBoard, board_deleted = false } = card;
      return { id, identifier, title: identifier, board_id, completed_at: null, archived_at: null, board_deleted };
    });
  });
  bus.serve(findExisting, async ({ workspace_id, ids }) => ({
    existing: ids.filter((id) => cards.has(`${workspace_id}/${id}`)),
  }));
  bus.serve(projectDependency, async (event) => {
    // On a busy machine the bus delivers it twice.
    if (!projected.some(({ id }) => id === event.id)) projected.push(event);
    await double.holdUp;
    return { applied: true };
  });
  return double;
};
