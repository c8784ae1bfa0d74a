import { conflict, type deleteDependency as contract, notFound, projectDependency } from '@cardinal/contracts';
import { summariesOf } from '../cards/summaries.ts';
import { removeEdge } from '../graph/remove-edge.ts';
import type { Handler, Parts } from '../parts.ts';

/**
 * Removes a dependency, if there is one. One on a card that the caller does not see stays, and the answer does not tell
 * (api-decisions, "Dependencies").
 * @throws CardinalError `not_found` where the caller does not see the dependent card; `conflict` where its board is deleted
 */
export const deleteDependencyHandler =
  ({ bus, db, relay, inTurn, now }: Parts): Handler<typeof contract> =>
  async ({ workspace_id, user_id, card_id, depends_on_card_id }) => {
    const cards = await summariesOf(bus, { workspace_id, user_id }, [card_id, depends_on_card_id]);
    const card = cards.get(card_id);
    if (!card) throw notFound('Card');
    if (card.board_deleted) throw conflict("The card's board is deleted");
    if (!cards.has(depends_on_card_id)) return { deleted: true };

    const event = await inTurn(workspace_id, () =>
      db.transaction((tx) => removeEdge(tx, workspace_id, { card_id, depends_on_card_id }, now())),
    );
    if (event) {
      relay.nudge();
      await bus.tell(projectDependency, event);
    }
    return { deleted: true };
  };
