import {
  filterBoards,
  listCardEvents,
  listEvents,
  listVersionChanges,
  type RequestContract,
  readLog,
  seeBoards,
  summarizeCards,
} from '@cardinal/contracts';
import { type Exercises, eventually, goldenRequest, shape, testRequests } from '@cardinal/testkit';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { startCardDouble } from './support/card-double.ts';
import { startHarness } from './support/harness.ts';

const harness = await startHarness();
const { bus } = harness;
const card = await startCardDouble(harness.nats.url);

const times = { created_at: '2030-01-02T09:30:00.000Z', updated_at: '2030-01-02T09:30:00.000Z' };

/** A workspace in which a label was made and a card was commented on. */
const log = async () => {
  const who = { workspace_id: v7(), user_id: v7() };
  const [board, card_id] = [v7(), v7()];
  const label = { id: v7(), type: 'label', version: 1, name: 'bug', color: '#d73a4a', ...times };
  const comment = { id: v7(), type: 'comment', version: 1, card_id, body: 'Again', created_by: who.user_id, ...times };
  card.cards.set(card_id, board);
  await harness.owners.card.note(who.workspace_id, [
    { type: 'label.created', data: label },
    { type: 'comment.created', data: comment, card: card_id, board },
  ]);
  await eventually(async () => expect(await harness.readAll(who.workspace_id)).toHaveLength(2));
  return { who, card_id, label };
};

/** A workspace of whose log nothing is kept any more. */
const forgotten = async () => {
  const { who } = await log();
  await harness.db.statement((tx) => sql`delete from days where workspace_id = ${who.workspace_id}`.execute(tx));
  return who;
};

const exercises: Exercises = [
  [
    readLog,
    async () => {
      const { workspace_id } = (await log()).who;
      const gone = { workspace_id: (await forgotten()).workspace_id, after: 0, limit: 10 };
      return {
        request: { workspace_id, after: 0, limit: 10, types: ['comment.*', 'label.created'] },
        refused: { gone },
      };
    },
  ],
  [
    listEvents,
    async () => {
      const { who } = await log();
      const refused = { gone: { ...(await forgotten()), after: 0, page: { limit: 10 } } };
      const not_found = { ...who, card: v7(), page: { limit: 10 } };
      return { request: { ...who, after: 0, page: { limit: 10 } }, refused: { ...refused, not_found } };
    },
  ],
  [
    listCardEvents,
    async () => {
      const { who, card_id } = await log();
      return { request: { ...who, card_id, page: { limit: 10 } } };
    },
  ],
  [
    listVersionChanges,
    async () => {
      const { who, label } = await log();
      // The owner's stand-in gives each event version 2.
      const subject = { type: 'label' as const, id: label.id, within: null };
      return { request: { ...who, subject, after: 1, until: 2 } };
    },
  ],
];

testRequests({ service: 'event', part: 'log', bus, exercises });

describe('the doubles of requests that the event service sends', () => {
  it.each<RequestContract>([filterBoards, seeBoards, summarizeCards])(
    'of $subject answers as the card service does',
    async (contract) => {
      const { request, reply } = goldenRequest(contract);
      const asked = request as { card_ids?: string[]; board_ids?: string[] };
      for (const id of asked.card_ids ?? []) card.cards.set(id, v7());
      const { boards, board_ids: seen = boards ?? [] } = reply as { boards?: unknown[]; board_ids?: unknown[] };
      for (const id of asked.board_ids?.slice(seen.length) ?? []) card.unknown.add(id);
      expect(shape(await bus.call(contract, asked as never))).toEqual(shape(reply));
    },
  );
});
