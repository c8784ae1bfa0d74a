import {
  cardDeleted,
  deleteDependency,
  listDependencies,
  listDependents,
  projectCardDeleted,
  projectDependency,
  putDependency,
  type RequestContract,
  summarizeCards,
} from '@cardinal/contracts';
import {
  canonical,
  declaredEvents,
  declaredRequests,
  type Exercise,
  eventFile,
  exercise,
  feedExercises,
  goldenEvent,
  goldenRequest,
  requestFile,
  shape,
} from '@cardinal/testkit';
import { v7 } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { startCardDouble } from './support/card-double.ts';
import { type Harness, startHarness } from './support/harness.ts';

let harness: Harness;
let card: Awaited<ReturnType<typeof startCardDouble>>;

beforeAll(async () => {
  harness = await startHarness();
  card = await startCardDouble(harness.natsUrl);
});

/** A card that waits for another one, of two cards of a new workspace. */
const edge = async () => {
  const who = { workspace_id: v7(), user_id: v7() };
  const [card_id, depends_on_card_id] = card.add(who.workspace_id, 2) as [string, string];
  const declared = { ...who, card_id, depends_on_card_id };
  await harness.bus.call(putDependency, declared);
  return { who, declared };
};

/** A request of every kind that the service serves. */
const requests: [RequestContract, () => Promise<Exercise>][] = [
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
    async () => {
      return { request: goldenEvent(cardDeleted, { workspace_id: v7() }), again: { applied: false } };
    },
  ],
  ...feedExercises(
    'dependency',
    (asked, body) => harness.bus.call(asked, body),
    async () => {
      const { who, declared } = await edge();
      await harness.bus.call(deleteDependency, declared);
      await harness.bus.call(putDependency, declared);
      return who.workspace_id;
    },
  ),
];

describe('what the dependency service serves', () => {
  it('has a golden file for every request', () => {
    const subjects = (served: { subject: string }[]) => served.map(({ subject }) => subject).sort();
    expect(subjects(requests.map(([contract]) => contract))).toEqual(subjects(declaredRequests('dependency.')));
  });

  it.each(requests.map(([contract, prepare]) => ({ subject: contract.subject, contract, prepare })))(
    '$subject: its success, its repetition and each refusal',
    async ({ contract, prepare }) => {
      const outcome = await exercise((asked, body) => harness.bus.call(asked, body), contract, await prepare());
      const text = canonical(outcome).replace(/MAIN-\d+/g, 'MAIN-1');
      await expect(text).toMatchFileSnapshot(requestFile(contract));
    },
  );
});

describe('what the dependency service emits', () => {
  it.each(declaredEvents('dependency.'))('$subject is what consumers were promised', async (contract) => {
    const { declared } = await edge();
    const event = card.projected.find(({ workspace_id }) => workspace_id === declared.workspace_id);
    await expect(canonical(event)).toMatchFileSnapshot(eventFile(contract));
  });
});

describe('what the dependency service relies on', () => {
  it('takes the edges away of a card that the card service says is deleted', async () => {
    const { who, declared } = await edge();
    const gone = { workspace_id: who.workspace_id, aggregate_id: declared.depends_on_card_id };
    await harness.bus.publish(goldenEvent(cardDeleted, gone));
    await expect
      .poll(() => harness.bus.call(listDependencies, { ...who, card_id: declared.card_id, page: { limit: 10 } }))
      .toMatchObject({ items: [] });
  });

  it.each<RequestContract>([summarizeCards, projectDependency])(
    'its stand-in for $subject answers as the card service does',
    async (contract) => {
      const { request, reply } = goldenRequest(contract);
      const asked = request as { workspace_id: string };
      const named = contract === summarizeCards ? { card_ids: card.add(asked.workspace_id, 1) } : {};
      expect(shape(await harness.bus.call(contract, { ...asked, ...named }))).toEqual(shape(reply));
    },
  );
});
