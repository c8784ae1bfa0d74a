import {
  type Caller,
  CardinalError,
  type createCard as contract,
  type Document,
  documentOf,
  notFound,
  unavailable,
} from '@cardinal/contracts';
import { findCommand } from '@cardinal/db';
import { coalesce } from '@cardinal/runtime';
import { LRUCache } from 'lru-cache';
import { v7 } from 'uuid';
import type { z } from 'zod';
import { boardVisibleTo } from '../boards/queries.ts';
import type { ServiceContext } from '../context.ts';
import { labels, type Reader } from '../database.ts';
import { makeRoomOnTop } from '../positions/queries.ts';
import { unlessClaimed, writeBatch } from './batch.ts';
import { type WritableFieldName, writableFields } from './fields.ts';
import { checkTakesCards } from './rules.ts';
import { type EventOrigin, newEventOrigin } from './statements/card-feed.ts';
import { type CardToCreate, createCards, createMarkedCards, lowestTop } from './statements/create-cards.ts';
import { type CardOutcome, replayed } from './write.ts';

type Request = z.output<typeof contract.request>;

/** A create on its way: the request, and where its number is expected to come from. */
interface Attempt extends Request, EventOrigin {
  expected: string;
}

const remembered = 50_000;
/** Tries of one request: the column is met for the first time, others used up the range, the board's default changed, … */
const maxTries = 100;

/**
 * Makes cards, all that arrive together in one statement (`createCards`). What does not fit it is explained one by one:
 * that ends the request with an answer of before or a refusal, or clears the way for the next try.
 */
export const cardMaker = (context: ServiceContext) => {
  const { db, grants, lineage } = context;
  /** Where new cards of a column are filed if their writers do not say. It may be wrong; then no card is made. */
  const filing = new LRUCache<string, string>({ max: remembered });

  const makes = coalesce<Attempt, Document<CardOutcome> | undefined>({
    name: 'card_creations',
    laneOf: (attempt) => attempt.workspace_id,
    run: (attempts) => {
      const workspaceId = attempts[0]?.workspace_id ?? '';
      const now = context.now().toISOString();
      const commands = attempts.map(({ command }) => command.id);
      return writeBatch(context, workspaceId, commands, () =>
        db.statement(async (tx) => {
          // A statement that is sent again after its connection broke may reach another server.
          const met = lineage.current();
          if (!met) return [];
          const create = attempts.some(({ body }) => isMarked(body)) ? createMarkedCards : createCards;
          const cards = JSON.stringify(distinct(attempts).map(toCardToCreate));
          return create.run(tx, [cards, workspaceId, now, met.epoch, met.table]);
        }),
      );
    },
  });

  return async (request: Request): Promise<Document<CardOutcome>> => {
    const column = `${request.workspace_id}/${request.column_id}`;
    for (let tries = 0; tries < maxTries; tries += 1) {
      const expected = request.body.workstream_id ?? filing.get(column);
      if (expected !== undefined && grants.knows(request.workspace_id, expected)) {
        const made = await makes.submit({ ...request, ...newEventOrigin(), expected }).catch(unlessClaimed);
        if (made) return made;
      }
      const explained = await explain(context, request);
      if ('replay' in explained) return documentOf(replayed(explained.replay));
      if (request.body.workstream_id === undefined) filing.set(column, explained.filedUnder);
    }
    throw unavailable('The column changes all the time');
  };
};

/**
 * Finds out why a card was not made, in the order of the checks (CONTRACT 1.5), or
 * makes it possible: gets room in the range of numbers, or in the column.
 * @throws CardinalError `not_found`, `idempotency_key_reused`, `conflict`
 */
const explain = async ({ db, grants }: ServiceContext, request: Request) => {
  const { workspace_id, column_id, command, body } = request;
  const column = await db.read((tx) => findColumnWithBoard(tx, request, column_id));
  if (!column) throw notFound('Column');
  const ended = async () => {
    const known = await db.read((tx) => findCommand(tx, workspace_id, command));
    return known?.ended ? { replay: known.response } : undefined;
  };
  const before = await ended();
  if (before) return before;
  await checkLabels(db, workspace_id, body.label_ids);
  let named: string | undefined;
  try {
    named = body.workstream_id && (await grants.ensure(workspace_id, body.workstream_id));
  } catch (refusal) {
    // An equal command may have taken a number since we looked, before the workstream was archived.
    const since = await ended();
    if (since) return since;
    throw refusal;
  }
  checkTakesCards(column);
  if (column.top <= lowestTop) await db.transaction((tx) => makeRoomOnTop(tx, workspace_id, column_id));
  return { filedUnder: named ?? (await fileByDefault(grants, workspace_id, column.default_workstream_id)) };
};

const isMarked = ({ assignee_user_ids = [], label_ids = [] }: Request['body']) =>
  assignee_user_ids.length > 0 || label_ids.length > 0;

/** @throws CardinalError `not_found` where one of them is not of the workspace */
const checkLabels = async (db: ServiceContext['db'], workspaceId: string, ids: readonly string[] = []) => {
  if (ids.length === 0) return;
  const found = await db.read((tx) =>
    labels
      .in(tx, workspaceId)
      .where('id', 'in', [...ids])
      .execute(),
  );
  if (found.length < new Set(ids).size) throw notFound('Label');
};

/** The board's default, or the workspace's where the board has none or an archived one. */
const fileByDefault = (grants: ServiceContext['grants'], workspaceId: string, boardDefault: string | null) =>
  grants.ensure(workspaceId, boardDefault).catch((error) => {
    if (!(error instanceof CardinalError && error.code === 'conflict')) throw error;
    return grants.ensure(workspaceId, null);
  });

/** The first of equal commands that arrived together; the others find its answer. */
const distinct = (attempts: readonly Attempt[]): Attempt[] =>
  [...new Map(attempts.toReversed().map((attempt) => [attempt.command.id, attempt])).values()].reverse();

const toCardToCreate = (
  { column_id, user_id, expected, body, command, event_id, request_id }: Attempt,
  seq: number,
): CardToCreate => ({
  seq,
  card_id: v7(),
  column_id,
  user_id,
  named: body.workstream_id ?? null,
  expected,
  ...(Object.fromEntries(writableFields.map(({ name }) => [name, body[name] ?? null])) as Pick<
    CardToCreate,
    WritableFieldName
  >),
  command_id: command.id,
  fingerprint: command.fingerprint,
  event_id,
  request_id,
  ...(isMarked(body) && {
    assignee_user_ids: [...new Set(body.assignee_user_ids)],
    label_ids: [...new Set(body.label_ids)],
  }),
});

/** Reads a column together with what its board says about new cards; undefined where the caller does not see it. */
const findColumnWithBoard = (tx: Reader, { workspace_id, user_id }: Caller, id: string) =>
  tx
    .selectFrom('columns')
    .innerJoin('boards', (join) =>
      join.onRef('boards.workspace_id', '=', 'columns.workspace_id').onRef('boards.id', '=', 'columns.board_id'),
    )
    .select(['columns.archived_at', 'columns.top'])
    .select(['boards.archived_at as board_archived_at', 'boards.default_workstream_id'])
    .where('columns.workspace_id', '=', workspace_id)
    .where('columns.id', '=', id)
    .where('boards.deleted_at', 'is', null)
    .where(boardVisibleTo(user_id))
    .executeTakeFirst();
