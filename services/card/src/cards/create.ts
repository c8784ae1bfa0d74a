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

/** A create that is tried: the request, and the workstream that is expected to give the number. */
interface Attempt extends Request, EventOrigin {
  expected: string;
}

const remembered = 50_000;
/**
 * Tries per request. A try fails where a column is new to this process, others used up the range, or the board's
 * default changed.
 */
const maxTries = 100;

/**
 * Creates the handler that makes cards (CONTRACT 5.2). Creates of one workspace that arrive together share a statement
 * (`createCards`). For each card that the statement does not make, `explain` replays the stored answer, refuses the
 * request, or removes the cause so that the next try succeeds.
 * @returns the handler; it throws CardinalError `not_found`, `idempotency_key_reused`, `conflict`, `unavailable`
 */
export const cardMaker = (context: ServiceContext) => {
  const { db, grants, lineage } = context;
  /**
   * The default workstream of each column, as this process last read it. Where it is outdated, the statement makes no
   * card.
   */
  const defaults = new LRUCache<string, string>({ max: remembered });

  const creations = coalesce<Attempt, Document<CardOutcome> | undefined>({
    name: 'card_creations',
    laneOf: (attempt) => attempt.workspace_id,
    run: (attempts) => {
      const workspaceId = attempts[0]?.workspace_id ?? '';
      const now = context.now().toISOString();
      const commands = attempts.map(({ command }) => command.id);
      return writeBatch(context, workspaceId, commands, () =>
        db.statement(async (tx) => {
          // A statement is sent again after a broken connection, possibly to another server, so it reads the epoch here.
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
      const expected = request.body.workstream_id ?? defaults.get(column);
      if (expected !== undefined && grants.knows(request.workspace_id, expected)) {
        const created = await creations.submit({ ...request, ...newEventOrigin(), expected }).catch(unlessClaimed);
        if (created) return created;
      }
      const explained = await explain(context, request);
      if ('replay' in explained) return documentOf(replayed(explained.replay));
      if (request.body.workstream_id === undefined) defaults.set(column, explained.workstreamId);
    }
    throw unavailable('The column changes all the time');
  };
};

/**
 * Finds the reason why the statement did not make a card, in the order of checks (CONTRACT 1.5). Removes the reason
 * where it can: it gets a grant, or makes room in the column.
 * @returns the stored answer of an equal command, or the workstream of the next try
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
  let requested: string | undefined;
  try {
    requested = body.workstream_id && (await grants.ensure(workspace_id, body.workstream_id));
  } catch (refusal) {
    // Since the check above, an equal command may have got a number before the workstream was archived.
    const since = await ended();
    if (since) return since;
    throw refusal;
  }
  checkTakesCards(column);
  if (column.top <= lowestTop) await db.transaction((tx) => makeRoomOnTop(tx, workspace_id, column_id));
  return { workstreamId: requested ?? (await ensureDefault(grants, workspace_id, column.default_workstream_id)) };
};

const isMarked = ({ assignee_user_ids = [], label_ids = [] }: Request['body']) =>
  assignee_user_ids.length > 0 || label_ids.length > 0;

/** @throws CardinalError `not_found` where a label is not of the workspace */
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

/**
 * Finds the default workstream of new cards: the board's, or the workspace's where the board has none or an archived
 * one.
 */
const ensureDefault = (grants: ServiceContext['grants'], workspaceId: string, boardDefault: string | null) =>
  grants.ensure(workspaceId, boardDefault).catch((error) => {
    if (!(error instanceof CardinalError && error.code === 'conflict')) throw error;
    return grants.ensure(workspaceId, null);
  });

/** Keeps the first of equal commands that arrived together. The others find its answer. */
const distinct = (attempts: readonly Attempt[]): Attempt[] =>
  [...new Map(attempts.toReversed().map((attempt) => [attempt.command.id, attempt])).values()].reverse();

const toCardToCreate = (
  { column_id, user_id, expected, body, command, event_id, request_id, api_key_id }: Attempt,
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
  api_key_id,
  ...(isMarked(body) && {
    assignee_user_ids: [...new Set(body.assignee_user_ids)],
    label_ids: [...new Set(body.label_ids)],
  }),
});

/**
 * Reads a column with the fields of its board that matter to new cards.
 * @returns undefined where the caller does not see it
 */
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
