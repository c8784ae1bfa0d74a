import {
  cardDeleted,
  deleteDependency,
  listDependencies,
  listDependents,
  projectCardDeleted,
  projectDependency,
  putDependency,
  type RequestContract,
  readEdges,
  summarizeCards,
} from '@cardinal/contracts';
import {
  canonical,
  declaredInternalEvents,
  type Exercises,
  eventFile,
  feedExercises,
  goldenEvent,
  goldenRequest,
  shape,
  testRequests,
} from '@cardinal/testkit';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { startCardDouble } from './support/card-double.ts';
import { startHarness } from './support/harness.ts';

const { bus, natsUrl } = await startHarness();
const card = await startCardDouble(natsUrl);

/** A card that depends on another one, in a new workspace. */
const edge = async () => {
  const who = { workspace_id: v7(), user_id: v7() };
  const [card_id, depends_on_card_id] = card.add(who.workspace_id, 2) as [string, string];
  const declared = { ...who, card_id, depends_on_card_id };
  await bus.call(putDependency, declared);
  return { who, declared };
};

/** A request of every kind that the service serves. */
const exercises: Exercises = [
  [
    putDependency,
    async () => {
      const { who, declared } = await edge();
      const { card_id, depends_on_card_id } = declared;
      const [closed] = card.add(who.workspace_id, 1, { board_deleted: true });
      return {
        request: declared,
        refused: {
          conflict: [
            { ...declared, card_id: depends_on_card_id, depends_on_card_id: card_id },
            { ...declared, card_id: closed },
          ],
          validation_error: { ...declared, depends_on_card_id: card_id },
        },
      };
    },
  ],
  [
    deleteDependency,
    async () => {
      const { who, declared } = await edge();
      const [closed] = card.add(who.workspace_id, 1, { board_deleted: true });
      const refused = { conflict: { ...declared, card_id: closed } };
      return { request: declared, free: ['depends_on_card_id'], refused };
    },
  ],
  [
    listDependencies,
    async () => {
      const { who, declared } = await edge();
      return { request: { ...who, card_id: declared.card_id, page: { limit: 10 } } };
    },
  ],
  [
    listDependents,
    async () => {
      const { who, declared } = await edge();
      return { request: { ...who, card_id: declared.depends_on_card_id, page: { limit: 10 } } };
    },
  ],
  [
    projectCardDeleted,
    async () => ({ request: goldenEvent(cardDeleted, { workspace_id: v7() }), again: { applied: false } }),
  ],
  [
    readEdges,
    async () => {
      const { who } = await edge();
      return { request: { workspace_id: who.workspace_id, after: null, through: null } };
    },
  ],
  ...feedExercises('dependency', bus, async () => {
    const { who, declared } = await edge();
    await bus.call(deleteDependency, declared);
    await bus.call(putDependency, declared);
    return who.workspace_id;
  }),
];

testRequests({
  service: 'dependency',
  bus,
  exercises,
  fixed: (text) => text.replace(/MAIN-\d+/g, 'MAIN-1'),
});

describe('internal events of the dependency service', () => {
  it.each(declaredInternalEvents('dependency.'))('$type is as promised', async (contract) => {
    const { declared } = await edge();
    const event = card.projected.find(({ workspace_id }) => workspace_id === declared.workspace_id);
    await expect(canonical(event)).toMatchFileSnapshot(eventFile(contract));
  });
});

describe('the stand-ins of the dependency service', () => {
  it('has the edges removed of a card that the card service reports as deleted', async () => {
    const { who, declared } = await edge();
    const gone = { workspace_id: who.workspace_id, aggregate_id: declared.depends_on_card_id };
    card.feed.append(goldenEvent(cardDeleted, gone));
    await expect
      .poll(() => bus.call(listDependencies, { ...who, card_id: declared.card_id, page: { limit: 10 } }))
      .toMatchObject({ items: [] });
  });

  it.each<RequestContract>([summarizeCards, projectDependency])(
    'the one for $subject answers as the card service does',
    async (contract) => {
      const { request, reply } = goldenRequest(contract);
      const asked = request as { workspace_id: string };
      const named = contract === summarizeCards ? { card_ids: card.add(asked.workspace_id, 1) } : {};
      expect(shape(await bus.call(contract, { ...asked, ...named }))).toEqual(shape(reply));
    },
  );
});
