import { readFile } from 'node:fs/promises';
import {
  cardDeleted,
  deleteCover,
  deleteLinkedFile,
  filterBoards,
  findSubtask,
  getCover,
  projectLinkedFile,
  putCover,
  putLinkedFile,
  type RequestContract,
  readLinks,
  subtaskDeleted,
  summarizeCards,
} from '@cardinal/contracts';
import {
  canonical,
  declaredInternalEvents,
  eventFile,
  eventually,
  feedExercises,
  goldenEvent,
  goldenRequest,
  testRequests,
} from '@cardinal/testkit';
import { internalEventsOf } from '@cardinal/testkit/instance';
import { describe, expect, it } from 'vitest';
import { given, requests, virus } from './support/contract-requests.ts';
import { startHarness } from './support/harness.ts';

const scanner = async (path: string) => (await readFile(path)).includes(virus);
const harness = await startHarness({ scanner });
const { bus, card, db } = harness;

/** URLs are signed, and have a port that is free at the time. */
const unsigned = (text: string) =>
  text
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, 'https://files.example')
    .replace(/expires=\d+&signature=[\w-]+/g, 'expires=1767323045678&signature=s');

/** Creates a subtask with a link, in a workspace of its own. @returns the workspace's id */
const linked = async () => {
  const of = given(harness);
  const [subtask_id, file_id] = [of.subtask(), await of.plan()];
  await bus.call(putLinkedFile, { ...of.who, subtask_id, file_id });
  await bus.call(deleteLinkedFile, { ...of.who, subtask_id });
  await bus.call(putLinkedFile, { ...of.who, subtask_id, file_id: await of.photo() });
  await bus.call(putLinkedFile, { ...of.who, subtask_id, file_id });
  return of.who.workspace_id;
};

testRequests({
  service: 'attachment',
  bus,
  exercises: [
    ...requests.map(([contract, prepare]) => [contract, () => prepare(given(harness), harness)] as const),
    ...feedExercises(
      'attachment',
      bus,
      async () => {
        const of = given(harness);
        const [card_id, file_id] = [of.card(), await of.photo()];
        await bus.call(putCover, { ...of.who, card_id, file_id });
        await bus.call(deleteCover, { ...of.who, card_id });
        return of.who.workspace_id;
      },
      linked,
    ),
    [readLinks, async () => ({ request: { workspace_id: await linked(), after: null, through: null } })],
  ],
  fixed: unsigned,
});

describe('internal events of the attachment service', () => {
  it.each(declaredInternalEvents('linked-file.'))('$type is as promised', async (contract) => {
    const of = given(harness);
    await bus.call(putCover, { ...of.who, card_id: of.card(), file_id: await of.photo() });
    await bus.call(putLinkedFile, { ...of.who, subtask_id: of.subtask(), file_id: await of.plan() });
    const [event] = await internalEventsOf({ db }, of.who.workspace_id);
    await expect(canonical(contract.schema.parse(event))).toMatchFileSnapshot(eventFile(contract));
  });
});

describe('the stand-ins of the attachment service', () => {
  it('has cover and links removed of a card that the card service reports as deleted', async () => {
    const of = given(harness);
    const [card_id, file_id] = [of.card(), await of.photo()];
    const subtask_id = of.subtask(card_id);
    await bus.call(putCover, { ...of.who, card_id, file_id });
    await bus.call(putLinkedFile, { ...of.who, subtask_id, file_id });
    const { workspace_id } = of.who;
    card.feed.append(goldenEvent(cardDeleted, { workspace_id, aggregate_id: card_id }));
    await eventually(async () => expect(await bus.call(getCover, { ...of.who, card_id })).toEqual({ cover: null }));
    await expect(bus.call(putLinkedFile, { ...of.who, subtask_id, file_id })).rejects.toThrow('Subtask not found');
  });

  it('has no link accepted of a subtask that the card service reports as deleted', async () => {
    const of = given(harness);
    const { workspace_id } = of.who;
    const card_id = of.card();
    const [subtask_id, kept] = [of.subtask(card_id), of.subtask(card_id)];
    const put = { ...of.who, subtask_id, file_id: await of.plan() };
    await bus.call(putLinkedFile, put);
    card.feed.append(goldenEvent(subtaskDeleted, { workspace_id, aggregate_id: subtask_id, data: { card_id } }));
    await eventually(() => expect(bus.call(putLinkedFile, put)).rejects.toThrow('Subtask not found'));
    expect(await bus.call(putLinkedFile, { ...put, subtask_id: kept })).toMatchObject({ id: put.file_id });
  });

  it.each<RequestContract>([filterBoards, summarizeCards, findSubtask, projectLinkedFile])(
    'the one for $subject answers as the card service does',
    async (contract) => {
      const { request, reply, refusals } = goldenRequest(contract);
      const subtask = findSubtask.reply.parse(goldenRequest(findSubtask).reply);
      for (const id of filterBoards.reply.parse(goldenRequest(filterBoards).reply).board_ids) card.boards.add(id);
      for (const id of summarizeCards.request.parse(goldenRequest(summarizeCards).request).card_ids) {
        card.cards.set(id, { boardDeleted: false });
      }
      card.subtasks.set(subtask.subtask_id, subtask.card_id);
      expect(await bus.call(contract, request)).toEqual(reply);
      for (const { code, message, request: refused } of refusals) {
        await expect(bus.call(contract, refused)).rejects.toMatchObject({ code, message });
      }
    },
  );
});
