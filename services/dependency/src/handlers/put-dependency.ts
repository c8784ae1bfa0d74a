import {
  CardinalError,
  conflict,
  type putDependency as contract,
  notFound,
  projectDependency,
} from '@cardinal/contracts';
import { currentContext } from '@cardinal/runtime';
import { cycleRefusal } from '../cards/cycle-refusal.ts';
import { summariesOf } from '../cards/summaries.ts';
import { changeEvent } from '../events/change-event.ts';
import { mostDependencies } from '../graph/add-edges.ts';
import type { Handler, Parts } from '../parts.ts';

/**
 * Lets a card depend on another one of its workspace (specification, "Dependencies").
 * @throws CardinalError `validation_error` for the card itself; `not_found` where the caller does not see both;
 * `conflict` where the card's board is deleted or the card has as many dependencies as may be, or with the path of the
 * cycle that it would close
 */
export const putDependencyHandler =
  ({ bus, relay, additions }: Parts): Handler<typeof contract> =>
  async ({ workspace_id, user_id, card_id, depends_on_card_id }) => {
    if (card_id === depends_on_card_id) throw new CardinalError('validation_error', 'A card cannot depend on itself');
    const caller = { workspace_id, user_id };
    const edge = { card_id, depends_on_card_id };
    const cards = await summariesOf(bus, caller, [card_id, depends_on_card_id]);
    const card = cards.get(card_id);
    if (!card || !cards.has(depends_on_card_id)) throw notFound('Card');
    if (card.board_deleted) throw conflict("The card's board is deleted");

    const requestId = currentContext()?.requestId;
    const addition = await additions.submit({ workspaceId: workspace_id, ...edge, requestId });
    if (addition.result === 'gone') throw notFound('Card');
    if (addition.result === 'full') throw conflict(`There are at most ${mostDependencies} dependencies of a card`);
    if (addition.result === 'cycle') throw await cycleRefusal(bus, caller, addition.path);
    if (addition.result === 'added') relay.nudge();
    const { version, created_at } = addition.edge;
    // Also where it was there before: whoever made it may not have been answered yet, or never will be.
    await bus.tell(projectDependency, changeEvent(workspace_id, { ...edge, exists: true, version }, created_at));
    return { ...edge, created_at: created_at.toISOString() };
  };
