import {
  cardDeleted,
  deleteDependency,
  listDependencies,
  listDependents,
  projectCardDeleted,
  putDependency,
} from '@cardinal/contracts';
import { internalEventsOf } from '@cardinal/testkit/instance';
import { v7 } from 'uuid';
import type { Harness } from './harness.ts';

/** A dependency as the service requests it from its graph. */
export const anEdge = (card_id: string, depends_on_card_id: string) => ({
  card_id,
  depends_on_card_id,
  requestId: 'test',
  userId: v7(),
  identifier: 'MAIN-1',
  boardId: v7(),
  otherBoardId: v7(),
});

/** Makes a client of one workspace and its dependencies. */
export const createClient = ({ bus, db }: Pick<Harness, 'bus' | 'db'>, workspace_id = v7()) => {
  const who = { workspace_id, user_id: v7() };
  const put = (card_id: string, depends_on_card_id: string, as = who) =>
    bus.call(putDependency, { ...as, card_id, depends_on_card_id });
  const remove = (card_id: string, depends_on_card_id: string, as = who) =>
    bus.call(deleteDependency, { ...as, card_id, depends_on_card_id });

  /** The cards of a whole list, page by page. */
  const walk = async (contract: typeof listDependencies, card_id: string, limit: number, as: typeof who) => {
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await bus.call(contract, { ...as, card_id, page: { limit, cursor } });
      if (page.next_cursor && page.items.length < limit) throw new Error('a page that is not the last is not full');
      found.push(...page.items.map(({ card }) => card.id));
      cursor = page.next_cursor ?? undefined;
    } while (cursor);
    return found;
  };
  const dependencies = (card_id: string, { limit = 100, as = who } = {}) => walk(listDependencies, card_id, limit, as);
  const dependents = (card_id: string, { limit = 100, as = who } = {}) => walk(listDependents, card_id, limit, as);

  const deletionOf = (card_id: string, id = v7()) => ({
    id,
    type: cardDeleted.type,
    version: cardDeleted.version,
    occurred_at: new Date().toISOString(),
    workspace_id,
    request_id: 'test',
    aggregate_id: card_id,
    aggregate_version: 2,
    data: { board_id: v7(), identifier: 'MAIN-1' },
  });
  /** Hands it to the service, as the card service does before it answers. */
  const handOverDeleted = (card_id: string, id?: string) => bus.call(projectCardDeleted, deletionOf(card_id, id));

  const edges = () =>
    db.read((tx) =>
      tx
        .selectFrom('edges')
        .select(['card_id', 'depends_on_card_id', 'version'])
        .where('workspace_id', '=', workspace_id)
        .orderBy('version')
        .execute(),
    );
  const cards = () =>
    db.read((tx) => tx.selectFrom('cards').selectAll().where('workspace_id', '=', workspace_id).execute());
  /** Dependencies that go against the stored order. */
  const inversions = async () => {
    const position = new Map((await cards()).map((card) => [card.id, card.position ?? Number.NaN]));
    return (await edges()).filter(
      ({ card_id, depends_on_card_id }) =>
        !((position.get(depends_on_card_id) ?? Number.NaN) < (position.get(card_id) ?? Number.NaN)),
    );
  };
  const events = () => internalEventsOf({ db }, workspace_id);
  return {
    who,
    put,
    remove,
    dependencies,
    dependents,
    deletionOf,
    handOverDeleted,
    edges,
    cards,
    inversions,
    events,
  };
};
