import {
  type Card,
  createCard,
  deleteCard,
  deleteSubtask,
  dependencyChanged,
  getCard,
  getCardByIdentifier,
  getWorkstream,
  grant,
  type IssuedIdentifier,
  linkedFileChanged,
  listSubtasks,
  patchCard,
  projectCardDeleted,
  type RequestContract,
  recordIdentifiers,
  resolveIdentifier,
  resolveRecorded,
  transferCard,
  workstreamChanged,
} from '@cardinal/contracts';
import {
  canonical,
  declaredInternalEvents,
  eventFile,
  eventually,
  feedExercises,
  goldenEvent,
  goldenRequest,
  shape,
  testRequests,
} from '@cardinal/testkit';
import { internalEventsOf } from '@cardinal/testkit/instance';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { given } from './support/contract-fixture.ts';
import { requests } from './support/contract-requests.ts';
import { startDependencyDouble } from './support/dependency-double.ts';
import { startFixture } from './support/fixture.ts';

const fixture = await startFixture();
await startDependencyDouble(fixture.natsUrl);
const { bus, feeds, identifier, instance } = fixture;
const of = given(fixture, identifier);

testRequests({
  service: 'card',
  bus,
  exercises: [
    ...requests.map(([contract, prepare]) => [contract, () => prepare(given(fixture, identifier))] as const),
    ...feedExercises(
      'card',
      bus,
      async () => {
        const { who, label } = given(fixture, identifier);
        await label();
        return who.workspace_id;
      },
      async () => {
        const own = given(fixture, identifier);
        const { id: subtask_id, version } = await own.subtask();
        await bus.call(deleteSubtask, { ...own.order(), subtask_id, if_match: [version] });
        return own.who.workspace_id;
      },
    ),
  ],
});

describe('what other services project of the card service', () => {
  it.each(declaredInternalEvents('card.'))('$type is what they were promised', async (contract) => {
    const write = (card: Card) => ({ ...of.order(), card_id: card.id, if_match: [card.version] });
    const step = await of.subtask();
    await bus.call(deleteSubtask, { ...of.order(), subtask_id: step.id, if_match: [step.version] });
    const column = await of.column();
    const target = of.workstream(`P${v7().slice(-6)}`.toUpperCase());
    const made = await bus.call(createCard, { ...of.order(), column_id: column.id, body: { title: 'Card' } });
    const moved = await bus.call(transferCard, { ...write(made.resource), body: { workstream_id: target.id } });
    const edited = await bus.call(patchCard, { ...write(moved.resource), body: { title: 'Renamed' } });
    await bus.call(deleteCard, write(edited.resource));
    const events = await internalEventsOf(instance, of.who.workspace_id);
    const event = events.findLast(({ type }) => type === contract.type);
    const told = canonical(event)
      .replaceAll(target.prefix, 'PAY')
      .replace(/MAIN-\d+/, 'MAIN-1');
    await expect(told).toMatchFileSnapshot(eventFile(contract));
  });
});

describe('what the card service relies on', () => {
  it('shows the workstream, the dependency and the linked file that other services promised to tell of', async () => {
    const own = given(fixture, identifier);
    const { workspace_id } = own.who;
    const { id: subtask_id, card_id } = await own.subtask();
    const { identifier: name } = await bus.call(getCard, { ...own.who, card_id });
    const depends_on_card_id = (await own.card()).id;
    const read = () => bus.call(getCardByIdentifier, { ...own.who, identifier: name });
    const { id } = (await read()).card.workstream;
    const link = goldenEvent(linkedFileChanged, { workspace_id, data: { subtask_id, card_id } });
    feeds.attachment.append(link);
    feeds.dependency.append(goldenEvent(dependencyChanged, { workspace_id, data: { card_id, depends_on_card_id } }));
    identifier.feed.append(goldenEvent(workstreamChanged, { workspace_id, data: { id, version: 2, name: 'Renamed' } }));
    await eventually(async () => {
      const { card, reference } = await read();
      expect([card.workstream.name, reference.dependency_count]).toEqual(['Renamed', 1]);
      const { items } = await bus.call(listSubtasks, { ...own.who, card_id, page: { limit: 10 } });
      expect(items).toMatchObject([{ linked_file: { id: link.data.file?.id, name: link.data.file?.name } }]);
    });
  });

  it.each<RequestContract>([grant, recordIdentifiers, resolveIdentifier, resolveRecorded, getWorkstream])(
    'its stand-in for $subject answers as the identifier service does',
    async (contract) => {
      const golden = goldenRequest(contract);
      const { workspace_id } = of.who;
      const known = of.workstream('KNOWN');
      const { refused = [] } = golden.reply as { refused?: IssuedIdentifier[] };
      for (const one of refused) identifier.plant({ ...one, card_id: v7() });
      const request = { ...(golden.request as object), workspace_id, workstream_id: known.id };
      expect(shape(await bus.call(contract, request))).toEqual(shape(golden.reply));
    },
  );

  it('its stand-in for the dependency service takes in a deletion as that does', async () => {
    const { request, reply } = goldenRequest(projectCardDeleted);
    expect(shape(await bus.call(projectCardDeleted, request as never))).toEqual(shape(reply));
  });
});
