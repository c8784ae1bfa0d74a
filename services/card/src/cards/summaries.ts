import { type Caller, summarizeCards as contract, findExisting } from '@cardinal/contracts';
import { prepared, resourceOf, rowsFor, type StoredAs } from '@cardinal/db';
import { coalesce } from '@cardinal/runtime';
import { sql } from 'kysely';
import type { z } from 'zod';
import { visibleTo } from '../boards/queries.ts';
import type { ServiceContext } from '../context.ts';
import { joinByKey } from './queries.ts';

/** The fields of a card that other services show, with its number among the requested cards, from 1. */
type CardSummary = StoredAs<z.output<typeof contract.reply>[number]> & { ordinal: number };

/** SQL that joins the rows `asked` with their cards and boards, and keeps those that the user sees. */
export const visibleAsked = `-- OFFSET 0 is an optimizer fence: each row is found by its key, not by a scan of the workspace.
cross join lateral (
  select * from cards where cards.workspace_id = asked.workspace_id and cards.id = asked.card_id offset 0
) as cards
${joinByKey('boards', 'cards', 'board_id')}
where ${visibleTo('asked.user_id')}`;

/** Reads summaries of the cards of any workspaces that exist and that their users see; $1 `CardKey`s (`rowsFor`). */
export const summarizeCards = prepared<CardSummary>(
  'summarize-cards',
  `select asked.ordinal, cards.id, cards.identifier, cards.title, cards.board_id, cards.completed_at,
  cards.archived_at, boards.deleted_at is not null as board_deleted
from json_to_recordset($1) as asked (ordinal integer, workspace_id uuid, user_id uuid, card_id uuid)
${visibleAsked}`,
);

type Request = Caller & { card_ids: string[] };
type Summary = z.output<typeof contract.reply>[number];

const toSummary = resourceOf(contract.reply.element);

/** A request for at most this many cards is small. Requests for writes are. */
const fewCards = 4;
/**
 * The most large requests in a query. A large request names up to a thousand cards, so a few make a query that is large
 * enough.
 */
const largeAtOnce = 16;

/**
 * Serves the requests of services that store ids of cards: summaries of those that the caller sees, and which cards and
 * subtasks exist. Requests for summaries that arrive together share a query; small and large requests are queued
 * separately.
 */
export const serveCardSummaries = ({ bus, db }: ServiceContext): void => {
  const run = async (requests: Request[]): Promise<Summary[][]> => {
    const asked = requests.flatMap(({ workspace_id, user_id, card_ids }, of) =>
      [...new Set(card_ids)].map((card_id) => ({ of, key: { workspace_id, user_id, card_id } })),
    );
    const keys = asked.map(({ key }) => key);
    const rows = await db.read((tx) => rowsFor(tx, summarizeCards, keys));
    const answers: Summary[][] = requests.map(() => []);
    rows.forEach((row, index) => {
      if (row) answers[asked[index]?.of as number]?.push(toSummary(row));
    });
    return answers;
  };
  const small = coalesce({ name: 'card_summaries', concurrency: 2, run });
  const large = coalesce({ name: 'large_card_summaries', concurrency: 4, maxBatch: largeAtOnce, run });
  bus.serve(contract, (request) => (request.card_ids.length <= fewCards ? small : large).submit(request));

  bus.serve(findExisting, async ({ workspace_id, ids }) => {
    const { rows } = await db.read((tx) =>
      sql<{ id: string }>`
        select id from cards where workspace_id = ${workspace_id} and id = any (${ids}::uuid[])
        union all
        select id from subtasks where workspace_id = ${workspace_id} and id = any (${ids}::uuid[])`.execute(tx),
    );
    return { existing: rows.map(({ id }) => id) };
  });
};
