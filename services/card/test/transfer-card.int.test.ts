import { archiveWorkstream, type Caller, deleteBoard, getCard, transferCard } from '@cardinal/contracts';
import { aCaller, aCommand } from '@cardinal/testkit';
import { v7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { aCard, aColumn, aWorkstream, create, patch, transfer } from './support/builders.ts';
import { startAlone } from './support/fixture.ts';
import { startReal } from './support/real-service.ts';

const fixture = await startAlone({ instances: 2 });
await startReal(fixture, 'identifier');

/** The number that a workstream gives out next, and so how many it has given out. */
const nextIn = async (caller: Caller, workstream_id: string) =>
  (await aCard(fixture, caller, { workstream_id })).identifier;

test('of 50 transfers at once with the same If-Match one wins, and one number is issued', async () => {
  const caller = aCaller();
  const web = await aWorkstream(fixture, caller, 'WEB');
  const card = await aCard(fixture, caller);
  const answers = await Promise.allSettled(Array.from({ length: 50 }, () => transfer(fixture, caller, card, web.id)));
  const won = answers.filter((answer) => answer.status === 'fulfilled');
  const lost = answers.filter((answer) => answer.status === 'rejected');
  expect(won).toMatchObject([{ value: { replayed: false, resource: { identifier: 'WEB-1', version: 2 } } }]);
  expect(lost).toHaveLength(49);
  for (const { reason } of lost) {
    expect(reason).toMatchObject({ code: 'precondition_failed', details: { current_version: 2 } });
  }
  expect(await nextIn(caller, web.id)).toBe('WEB-2');
});

test('20 equal transfers at once are one, and get equal answers', async () => {
  const caller = aCaller();
  const web = await aWorkstream(fixture, caller, 'WEB');
  const card = await aCard(fixture, caller);
  const command = aCommand();
  const answers = await Promise.all(Array.from({ length: 20 }, () => transfer(fixture, caller, card, web.id, command)));
  expect(new Set(answers.map((answer) => JSON.stringify(answer.resource))).size).toBe(1);
  expect(answers[0]?.resource).toMatchObject({ identifier: 'WEB-1', version: 2 });
  expect(await nextIn(caller, web.id)).toBe('WEB-2');
});

test('a transfer changes identifier, workstream and version, and nothing else', async () => {
  const caller = aCaller();
  const web = await aWorkstream(fixture, caller, 'WEB');
  const card = await aCard(fixture, caller, { description: 'Text', priority: 'important' });
  const { resource } = await transfer(fixture, caller, card, web.id);
  expect(resource).toEqual({
    ...card,
    version: 2,
    identifier: 'WEB-1',
    workstream: { id: web.id, name: 'WEB', prefix: 'WEB' },
    updated_at: resource.updated_at,
  });
  expect(await fixture.bus.call(getCard, { ...caller, card_id: card.id })).toEqual(resource);
});

test('back to an earlier workstream is a new number', async () => {
  const caller = aCaller();
  const web = await aWorkstream(fixture, caller, 'WEB');
  const card = await aCard(fixture, caller);
  const away = await transfer(fixture, caller, card, web.id);
  const back = await transfer(fixture, caller, away.resource, card.workstream.id);
  expect([card, away.resource, back.resource].map((state) => state.identifier)).toEqual(['MAIN-1', 'WEB-1', 'MAIN-2']);
});

test('the own workstream is no transfer: nothing changes, no number is taken', async () => {
  const caller = aCaller();
  const card = await aCard(fixture, caller);
  expect(await transfer(fixture, caller, card, card.workstream.id)).toEqual({ resource: card, replayed: false });
  expect(await nextIn(caller, card.workstream.id)).toBe('MAIN-2');
});

test('the own workstream is none either once it is archived', async () => {
  const caller = aCaller();
  const web = await aWorkstream(fixture, caller, 'WEB');
  const card = await aCard(fixture, caller, { workstream_id: web.id });
  const archive = { ...caller, command: aCommand(), workstream_id: web.id, if_match: [web.version] };
  await fixture.bus.call(archiveWorkstream, archive);
  // Answered by both instances, of which one never issued from it.
  const answers = await Promise.all(
    Array.from({ length: 8 }, async () => (await transfer(fixture, caller, card, web.id)).resource),
  );
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  const { resource } = await patch(fixture, caller, card, { workstream_id: web.id, title: 'New' });
  expect(resource).toMatchObject({ version: 2, title: 'New', identifier: card.identifier });
});

describe('PATCH with a workstream', () => {
  test('and edits: both at once, two versions', async () => {
    const caller = aCaller();
    const web = await aWorkstream(fixture, caller, 'WEB');
    const card = await aCard(fixture, caller, { description: 'Text' });
    const wish = { title: 'New', description: null, completed: true, workstream_id: web.id };
    const { resource } = await patch(fixture, caller, card, wish);
    expect(resource).toMatchObject({ version: 3, title: 'New', description: null, identifier: 'WEB-1' });
    expect(resource.completed_at).toBe(resource.updated_at);
  });

  test('and edits that change nothing: one version', async () => {
    const caller = aCaller();
    const web = await aWorkstream(fixture, caller, 'WEB');
    const card = await aCard(fixture, caller);
    const { resource } = await patch(fixture, caller, card, { title: card.title, workstream_id: web.id });
    expect(resource).toMatchObject({ version: 2, identifier: 'WEB-1' });
  });

  test('that is the own one, and edits: the edits, one version', async () => {
    const caller = aCaller();
    const card = await aCard(fixture, caller);
    const { resource } = await patch(fixture, caller, card, { title: 'New', workstream_id: card.workstream.id });
    expect(resource).toMatchObject({ version: 2, title: 'New', identifier: 'MAIN-1' });
  });

  test('that is refused: no edit either', async () => {
    const caller = aCaller();
    const card = await aCard(fixture, caller);
    const refused = patch(fixture, caller, card, { title: 'New', workstream_id: v7() });
    await expect(refused).rejects.toMatchObject({ code: 'not_found', message: 'Workstream not found' });
    expect(await fixture.bus.call(getCard, { ...caller, card_id: card.id })).toEqual(card);
  });
});

test('a replay gets the first answer after the card has moved on', async () => {
  const caller = aCaller();
  const web = await aWorkstream(fixture, caller, 'WEB');
  const card = await aCard(fixture, caller);
  const command = aCommand();
  const first = await transfer(fixture, caller, card, web.id, command);
  await patch(fixture, caller, first.resource, { title: 'Later' });
  expect(await transfer(fixture, caller, card, web.id, command)).toEqual({ ...first, replayed: true });
});

describe('refused transfers change nothing and burn no number', () => {
  test('in this order: 404, replay, 412, 409', async () => {
    const caller = aCaller();
    const web = await aWorkstream(fixture, caller, 'WEB');
    const { board, column } = await aColumn(fixture, caller);
    const { resource: card } = await create(fixture, caller, column.id);
    const command = aCommand();
    const moved = await transfer(fixture, caller, card, web.id, command);

    await expect(transfer(fixture, aCaller(), card, web.id)).rejects.toMatchObject({ message: 'Card not found' });
    await expect(transfer(fixture, caller, card, v7())).rejects.toMatchObject({ code: 'precondition_failed' });
    const unmatched = { ...caller, command: aCommand(), card_id: card.id, if_match: [] };
    await expect(
      fixture.bus.call(transferCard, { ...unmatched, body: { workstream_id: web.id } }),
    ).rejects.toMatchObject({ code: 'precondition_failed' });
    await expect(
      transfer(fixture, caller, card, card.workstream.id, { ...command, fingerprint: 'other' }),
    ).rejects.toMatchObject({ code: 'idempotency_key_reused' });

    await fixture.bus.call(deleteBoard, { ...caller, board_id: board.id, command: aCommand(), if_match: [1] });
    expect(await transfer(fixture, caller, card, web.id, command)).toEqual({ ...moved, replayed: true });
    await expect(transfer(fixture, caller, moved.resource, web.id)).rejects.toMatchObject({ code: 'conflict' });
    expect(await fixture.bus.call(getCard, { ...caller, card_id: card.id })).toEqual(moved.resource);
    expect(await nextIn(caller, web.id)).toBe('WEB-2');
    expect(await nextIn(caller, card.workstream.id)).toBe('MAIN-2');
  });

  test('an archived target: 409, again and again', async () => {
    const caller = aCaller();
    const web = await aWorkstream(fixture, caller, 'WEB');
    const card = await aCard(fixture, caller);
    await fixture.bus.call(archiveWorkstream, {
      ...caller,
      workstream_id: web.id,
      command: aCommand(),
      if_match: [1],
    });
    const command = aCommand();
    for (let time = 0; time < 2; time += 1) {
      await expect(transfer(fixture, caller, card, web.id, command)).rejects.toMatchObject({ code: 'conflict' });
    }
    expect(await fixture.bus.call(getCard, { ...caller, card_id: card.id })).toEqual(card);
    expect(await transfer(fixture, caller, card, card.workstream.id, command)).toMatchObject({ resource: card });
  });
});
