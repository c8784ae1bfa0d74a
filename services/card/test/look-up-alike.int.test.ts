import { declareRegisters } from '@cardinal/bus';
import {
  type Card,
  deleteCard,
  findCardIds,
  getCardByIdentifier,
  listIdentifiers,
  patchBoard,
  resolveIdentifiers,
} from '@cardinal/contracts';
import { runStatements } from '@cardinal/servers';
import { eventually, testBus, testDatabase, testNats } from '@cardinal/testkit';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { aWorkstream, transfer } from './support/builders.ts';
import { startReal } from './support/real-service.ts';
import { heardSince, tapBroker, tapDatabase } from './support/wire-tap.ts';
import { openWorkspace, type Workspace } from './support/workspace.ts';

/*
 * A card that the caller does not see must look like none at all (CONTRACT 2.4), and not by taking time: both take
 * the same requests and the same statements, in this service and in that of the ledger, as they are seen on the wire.
 */

const [{ urls }, nats] = await Promise.all([testDatabase({ service: 'card' }), testNats()]);
await declareRegisters({ url: nats.url });
const broker = await tapBroker(nats.url);
const [cards, ledger] = await Promise.all([tapDatabase(urls.card), tapDatabase(urls.identifier)]);
const through = { urls: { ...urls, card: cards.url, identifier: ledger.url }, natsUrl: broker.url };
// One connection each, so that what is asked one after the other is heard in that order.
const env = { DATABASE_POOL_SIZE: '1' };
await Promise.all([startReal(through, 'card', env), startReal(through, 'identifier', env)]);
const bus = await testBus(broker.url);

const owner = openWorkspace(bus);
const other = openWorkspace(bus, owner.who.workspace_id);
const { workspace_id } = owner.who;

const heard = () => ({
  requests: broker.requests(),
  cards: cards.statements(workspace_id),
  ledger: ledger.statements(workspace_id),
});

/** What is asked for, and what was heard of it. */
const listening = async (ask: () => Promise<unknown>) => {
  const before = heard();
  const answer = await ask().then(
    () => 'found',
    ({ code, message }) => `${code}: ${message}`,
  );
  const after = heard();
  const since = (part: keyof typeof after) => heardSince(after[part], before[part]);
  // A busy machine may have one asked again.
  const requests = [...new Set(since('requests'))].sort();
  return { answer, requests, cards: since('cards'), ledger: since('ledger') };
};

const lookUp = (identifier: string, { who }: Workspace = other) =>
  listening(() => bus.call(getCardByIdentifier, { ...who, identifier }));
/** Which of the identifiers lead to cards. */
const find = async (identifiers: string[], { who }: Workspace = other) => {
  let found: boolean[] = [];
  const { answer: _, ...heard } = await listening(async () => {
    const { card_ids } = await bus.call(findCardIds, { ...who, identifiers });
    found = card_ids.map((id) => id === card.id);
  });
  return { found, ...heard };
};
const history = ({ id: card_id }: Pick<Card, 'id'>, { who }: Workspace = other) =>
  listening(() => bus.call(listIdentifiers, { ...who, card_id, page: { limit: 10 } }));

/**
 * Two cards under their second identifiers, on a board that only its owner sees, and one that is deleted; all in the
 * ledger. Only the identifiers of the second card are still in `issued`.
 */
const setUp = async () => {
  const web = await aWorkstream({ bus }, owner.who, 'WEB');
  const { board, columns } = await owner.board('Doing');
  const [first, doomed, second] = (await owner.cards(columns[0]?.id ?? '', 'A', 'B', 'C')) as [Card, Card, Card];
  const { resource: card } = await transfer({ bus }, owner.who, first, web.id);
  const { resource: lateCard } = await transfer({ bus }, owner.who, second, web.id);
  await bus.call(deleteCard, { ...owner.order(), card_id: doomed.id, if_match: [1] });
  const hide = { board_id: board.id, if_match: [1], body: { visibility: 'private' as const } };
  await bus.call(patchBoard, { ...owner.order(), ...hide });
  await eventually(async () => {
    expect(await runStatements(urls.card, ['select from issued where recorded_at is null'])).toEqual([]);
    // What the projection of workstreams takes is heard, too.
    const noted = await runStatements(urls.identifier, ['select last_internal as seq from feeds']);
    expect(await runStatements(urls.card, ['select seq from followed_feeds'])).toEqual(noted);
  });
  await runStatements(urls.card, [`delete from issued where card_id <> '${second.id}'`]);
  const late = { current: lateCard.identifier, former: second.identifier };
  return { card, former: first.identifier, late, deleted: doomed.identifier };
};

const { card, former, late, deleted } = await setUp();
const subjects = { lookUp: 'rpc.card.get-card-by-identifier', ledger: 'rpc.identifier.resolve' };

test('a look-up of a current identifier is one request and one statement', async () => {
  const { answer, requests, cards, ledger } = await lookUp(card.identifier, owner);
  expect([answer, requests, cards.length, ledger.length]).toEqual(['found', [subjects.lookUp], 1, 0]);
});

test('one of a former identifier is one request for some days; then two, and one from then on', async () => {
  expect(await lookUp(late.former, owner)).toMatchObject({ answer: 'found', requests: [subjects.lookUp] });
  expect(await lookUp(former, owner)).toMatchObject({ answer: 'found', requests: [subjects.lookUp, subjects.ledger] });
  expect(await lookUp(former, owner)).toMatchObject({ answer: 'found', requests: [subjects.lookUp] });
});

test('what is hidden, deleted or was never issued takes the same requests and statements, again and again', async () => {
  const unknown = await lookUp('MAIN-404');
  expect(unknown).toMatchObject({
    answer: 'not_found: Card not found',
    requests: [subjects.lookUp, subjects.ledger],
    cards: [expect.stringContaining('look-up-identifiers'), expect.stringContaining('look-up-cards')],
    ledger: [expect.stringContaining('from identifiers')],
  });
  for (const identifier of [card.identifier, former, late.current, late.former, deleted, former, card.identifier]) {
    expect([identifier, await lookUp(identifier)]).toEqual([identifier, unknown]);
  }
});

const wanted = { find: 'rpc.card.find-card-ids', ledger: 'rpc.identifier.resolve-many' };
const hundred = (of: string) => Array.from({ length: 100 }, (_, at) => `${of}-${at + 1_000}`);

test('a hundred identifiers are one request, and one to the ledger where some are not known here', async () => {
  const seen = await find([card.identifier], owner);
  expect([seen.found, seen.requests, seen.cards.length]).toEqual([[true], [wanted.find], 1]);
  const names = [former, card.identifier, former, ...hundred('MAIN').slice(3)];
  const mixed = await find(names, owner);
  expect(mixed).toMatchObject({
    found: [true, true, true, ...Array(97).fill(false)],
    requests: [wanted.find, wanted.ledger],
    cards: [expect.stringContaining('find-references'), expect.stringContaining('find-references')],
    ledger: [expect.stringContaining('from identifiers')],
  });
});

test('references of a text are one request, too, and the prefixes one statement more', async () => {
  const text = [former, card.identifier, 'UTF-8', ...hundred('MAIN').slice(2)].join('\n');
  const resolve = ({ who }: Workspace) =>
    listening(() => bus.call(resolveIdentifiers, { ...who, body: { text } }).then((all) => found.push(all)));
  const found: z.output<typeof resolveIdentifiers.reply>[] = [];
  const [seen, hidden] = [await resolve(owner), await resolve(other)];
  expect(seen.requests).toEqual(['rpc.card.resolve-identifiers', wanted.ledger]);
  expect([seen.cards.length, seen.ledger.length]).toEqual([3, 1]);
  expect(hidden).toEqual(seen);
  const ids = found.map((all) => all.map((one) => one.card?.id));
  expect(ids).toEqual([[card.id, card.id, ...Array(98).fill(undefined)], Array(100).fill(undefined)]);
  expect(found[1]?.[0]).toMatchObject({ requested: former, is_alias: false, current_identifier: null });
});

test('those that are hidden, deleted or were never issued take the same, together and one by one', async () => {
  const unknown = await find(['MAIN-404']);
  expect(unknown).toMatchObject({ found: [false], requests: [wanted.find, subjects.ledger] });
  expect([unknown.cards.length, unknown.ledger.length]).toEqual([2, 1]);
  for (const identifier of [card.identifier, former, late.former, deleted, former]) {
    expect([identifier, await find([identifier])]).toEqual([identifier, unknown]);
  }
  const many = await find(hundred('MAIN'));
  expect(await find([card.identifier, former, late.former, deleted, ...hundred('WEB').slice(4)])).toEqual(many);
});

test('so does the history of a card that is hidden or is none', async () => {
  const seen = await history(card, owner);
  expect(seen).toMatchObject({
    answer: 'found',
    requests: ['rpc.card.list-unrecorded', 'rpc.identifier.list-identifiers'],
  });
  const hidden = await history(card);
  expect(hidden).toMatchObject({ answer: 'not_found: Card not found', ledger: [] });
  expect(await history({ id: '01930000-0000-7000-8000-00000000000a' })).toEqual(hidden);
});
