import * as contracts from '@cardinal/contracts';
import {
  boardsOf,
  type Caller,
  CardinalError,
  Document,
  type EventOrder,
  requireFound,
  shownTo,
  type Wanted,
} from '@cardinal/contracts';
import { type OpenPage, openPage, pageBytes, sortKey } from '@cardinal/runtime';
import type { ServiceContext } from '../context.ts';
import { findLast, readRaw } from './read.ts';
import { createSees } from './sees.ts';

/** Most numbers that a page reads before it ends, however few of them its reader sees. */
const lookedAtMost = 2_000_000;
/** Numbers in the second step of a page, and most in any step. */
const [secondSpan, maxSpan] = [2_000, 200_000];

type Reading = Pick<ServiceContext, 'db' | 'bus'>;

const gone = (oldest: number) =>
  new CardinalError('gone', `What came before ${oldest} is not kept any more`, { oldest });

/** Serves the events of a workspace, to readers that may see them and to services that check that themselves. */
export const serveLog = (context: ServiceContext): void => {
  const { bus, db, visibility } = context;

  bus.serve(contracts.readLog, async ({ workspace_id, after, limit, ...wanted }) => {
    if (after === null) {
      const last = await db.read((tx) => findLast(tx, workspace_id));
      return { events: [], through: last, last };
    }
    const reading = { workspaceId: workspace_id, after, limit, ...wanted };
    const { oldest, ...read } = await db.read((tx) => readRaw(tx, reading));
    if (after + 1 < oldest) throw gone(oldest);
    return read;
  });

  bus.serve(contracts.listEvents, async ({ after, order = 'asc', types, board_id, card, page: asked, ...rest }) => {
    const { actor, ...caller } = rest;
    const scope = [
      'events',
      caller.workspace_id,
      after ?? null,
      types ?? null,
      board_id ?? null,
      card ?? null,
      ...ofOrder(order),
      ...ofActor(actor),
    ] as const;
    const page = openPage(scope, [sortKey.count], asked);
    if (card !== undefined) requireFound('Card', (await visibility.cards(caller, [card])).get(card));
    const wanted = { types, board_id, card_id: card, actor: actorOf(actor, caller) };
    const from = after === 'head' ? await db.read((tx) => findLast(tx, caller.workspace_id)) : after;
    return listPage(context, caller, page, { ...rangeOf(order, page.after, from), wanted, isStrict: true });
  });

  bus.serve(contracts.listCardEvents, async ({ card_id, order = 'asc', types, actor, page: asked, ...caller }) => {
    const narrowed = [types ?? null, ...ofOrder(order), ...ofActor(actor)];
    const scope = ['events of card', caller.workspace_id, card_id, ...narrowed] as const;
    const page = openPage(scope, [sortKey.count], asked);
    requireFound('Card', (await visibility.cards(caller, [card_id])).get(card_id));
    const range = rangeOf(order, page.after, undefined);
    return listPage(context, caller, page, {
      ...range,
      wanted: { types, card_id, actor: actorOf(actor, caller) },
      isStrict: false,
    });
  });
};

/** The order as a part of a cursor. A cursor without one is of `asc`, as in release 1.1.0. */
const ofOrder = (order: EventOrder): string[] => (order === 'asc' ? [] : [order]);

/** The filter by actor as a part of a cursor. A cursor without one has none, as in release 1.1.0. */
const ofActor = (actor: string | undefined): string[] => (actor === undefined ? [] : [`by ${actor}`]);

const actorOf = (actor: string | undefined, { user_id }: Caller) => (actor === 'me' ? user_id : actor);

interface Range {
  order: EventOrder;
  /** After this number; undefined: from the oldest one. */
  after: number | undefined;
  /** Up to this number; undefined: to the end. */
  until: number | undefined;
}

/** @param last of the previous page */
const rangeOf = (order: EventOrder, last: [number] | undefined, after: number | undefined): Range =>
  order === 'asc'
    ? { order, after: last?.[0] ?? after, until: undefined }
    : { order, after, until: last && last[0] - 1 };

interface Listing extends Range {
  wanted: Wanted;
  /** Refuses where events after `after` were purged. */
  isStrict: boolean;
}

/**
 * Reads a page of what the caller sees now. It continues until the page is full, by events or by bytes, or the range
 * ends, but not for ever: a caller that sees very few of many events gets a short page with a cursor.
 * @throws CardinalError `gone` with the oldest number that was not purged
 */
const listPage = async (
  { db, bus }: Reading,
  caller: Caller,
  page: OpenPage<[number]>,
  { order, wanted, isStrict, ...range }: Listing,
): Promise<Document<{ items: never[]; next_cursor: string | null; head: number }>> => {
  const { workspace_id: workspaceId } = caller;
  const sees = createSees(bus);
  const found: { seq: number; bytes: Buffer }[] = [];
  const known = new Map<string, boolean>();
  const reader = { userId: caller.user_id, sees: (board: string) => known.get(board) ?? false };
  let { after, until } = range;
  let [looked, bytesFound] = [0, 0];
  let span: number | undefined;
  for (;;) {
    const hidden = [...known].flatMap(([board, isSeen]) => (isSeen ? [] : [board]));
    const reading = {
      workspaceId,
      ...wanted,
      order,
      after,
      until,
      limit: page.limit + 1,
      hidden,
      ...(span !== undefined && { span }),
    };
    const { events, through, last, oldest } = await db.read((tx) => readRaw(tx, reading));
    if (isStrict && after !== undefined && after + 1 < oldest) throw gone(oldest);
    const boards = [...new Set(events.flatMap(boardsOf))].filter((board) => !known.has(board));
    for (const board of boards) known.set(board, false);
    for (const board of await sees(caller, boards)) known.set(board, true);
    for (const event of events) {
      const text = shownTo(event, reader, wanted);
      if (text === undefined) continue;
      const bytes = Buffer.from(text);
      bytesFound += bytes.length + 1;
      found.push({ seq: event.seq, bytes });
    }
    const isFull = found.length > page.limit || (found.length > 1 && bytesFound > pageBytes);
    const start = Math.max(after ?? 0, oldest - 1);
    const isForward = order === 'asc';
    looked += isForward ? through - start : Math.min(until ?? last, last) - through;
    if (isFull || (isForward ? through >= last : through <= start)) return withHead(cut(page, found), last);
    if (isForward) after = through;
    else until = through;
    if (looked > lookedAtMost) {
      const items = found.map(({ bytes }) => bytes);
      // The cursor is of the last item that was read.
      return withHead(page.of<never>(items, [isForward ? through : through + 1]), last);
    }
    span = span === undefined ? secondSpan : Math.min(span * 4, maxSpan);
  }
};

const withHead = <Page>({ head, bytes }: Document<Page>, last: number) =>
  new Document<Page & { head: number }>({ ...head, head: last }, bytes);

const cut = (page: OpenPage<[number]>, found: { seq: number; bytes: Buffer }[]) =>
  page.cut(
    found,
    ({ bytes }) => new Document<never>({}, bytes),
    ({ seq }) => [seq],
  );
