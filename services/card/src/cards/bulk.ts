import {
  type BulkCardsBody,
  type Caller,
  CardinalError,
  card as cardSchema,
  bulkCards as contract,
  Document,
  errorStatus,
  notFound,
} from '@cardinal/contracts';
import { runIdempotently } from '@cardinal/db';
import { currentContext, pageBytes } from '@cardinal/runtime';
import { v5 } from 'uuid';
import type { z } from 'zod';
import type { ServiceContext } from '../context.ts';
import { holdLabels } from '../labels/labels.ts';
import type { EditCard } from './edit.ts';
import type { cardMoves } from './move.ts';
import { excluding, including } from './rules.ts';
import { type CardOutcome, writeCard } from './write.ts';

type Request = z.output<typeof contract.request>;

/** The request for one of the cards, as if it were asked for alone. */
interface One extends Caller {
  card_id: string;
  command: Request['command'];
  if_match: number[] | undefined;
}
type Answer = CardOutcome | Document<CardOutcome>;
type Change = (one: One) => Promise<Answer>;

/**
 * Changes many cards, each by the operation that changes one, under a command of its own that is derived from that of the
 * request: so a repetition finds the answers to what was done, and tries the rest (Beyond the specification, section 2).
 */
export const serveBulk = (context: ServiceContext, editCard: EditCard, moves: ReturnType<typeof cardMoves>): void => {
  const { bus, db, now } = context;

  /** The key belongs to this request from here on, whatever becomes of the cards. @throws CardinalError `idempotency_key_reused` */
  const claim = (request: Request) => db.transaction((tx) => runIdempotently(tx, request, now(), async () => null));

  bus.serve(contract, async (request) => {
    await claim(request);
    const { change, together } = changeOf(context, { editCard, moves }, request.body);
    const attempt = (at: number) => attemptOn(request, at, change);
    const all = request.body.cards.map((_, at) => at);
    if (together) return answerOf(await Promise.all(all.map(attempt)));
    const results: Result[] = [];
    for (const at of all) results.push(await attempt(at));
    return answerOf(results);
  });
};

/**
 * What is done to each card.
 * @returns `together` where the changes share statements; others hold the locks of a column or of labels, or are to come in
 * their order
 */
const changeOf = (
  context: ServiceContext,
  { editCard, moves }: { editCard: EditCard; moves: ReturnType<typeof cardMoves> },
  body: BulkCardsBody,
): { change: Change; together: boolean } => {
  const { transfer, patch, archive, move, restore } = body;
  const edit = transfer ?? patch ?? (archive && { archived: true as const });
  if (edit) return { change: (one) => editCard(versioned(one), edit), together: true };
  if (move) return { change: (one) => moves.move({ ...versioned(one), body: move }), together: false };
  if (restore) return { change: (one) => moves.restore(versioned(one)), together: false };
  return { change: (one) => mark(context, one, body), together: false };
};

/** The contract demands a version of all that needs one. */
const versioned = (one: One) => ({ ...one, if_match: one.if_match ?? [] });

/** Puts all labels or users on a card, or takes them off it; as one write, of one version. */
const mark = (context: ServiceContext, { if_match, ...one }: One, body: BulkCardsBody): Promise<CardOutcome> => {
  const { add_labels, remove_labels = [], add_assignees = [], remove_assignees = [] } = body;
  return writeCard(
    context,
    { ...one, ...(if_match && { if_match }) },
    'card.updated',
    (_tx, card, held: Set<string>) => {
      if (add_labels && held.size < new Set(add_labels).size) throw notFound('Label');
      const added = (add_labels ?? []).reduce((ids, id) => including(ids, id, 'labels'), card.label_ids);
      const users = add_assignees.reduce((ids, id) => including(ids, id, 'assignees'), card.assignee_user_ids);
      return {
        label_ids: remove_labels.reduce(excluding, added),
        assignee_user_ids: remove_assignees.reduce(excluding, users),
      };
    },
    (tx) => holdLabels(tx, one.workspace_id, add_labels ?? []),
  );
};

/** One item of the answer, as JSON. */
interface Result {
  json: string;
  replayed: boolean;
}

const attemptOn = async (request: Request, at: number, change: Change): Promise<Result> => {
  const { workspace_id, user_id, command, body } = request;
  const { card, version } = body.cards[at] as BulkCardsBody['cards'][number];
  const one = { id: v5(card, command.id), fingerprint: command.fingerprint };
  const if_match = version === undefined ? undefined : [version];
  try {
    const answer = await change({ workspace_id, user_id, card_id: card, command: one, if_match });
    const replayed = answer instanceof Document ? answer.head.replayed === true : answer.replayed;
    const data = answer instanceof Document ? answer.text : JSON.stringify(cardSchema.parse(answer.resource));
    return { json: `{"card":"${card}","status":200,"data":${data}}`, replayed };
  } catch (refusal) {
    if (!(refusal instanceof CardinalError)) throw refusal;
    const { code, message, details } = refusal;
    const error = { code, message, request_id: currentContext()?.requestId ?? '', ...(details && { details }) };
    return { json: JSON.stringify({ card, status: errorStatus[code], error }), replayed: false };
  }
};

/** As many items as fit into a message; the rest is asked for again. */
const answerOf = (results: readonly Result[]): Document<z.output<typeof contract.reply>> => {
  let bytes = 0;
  let count = 0;
  for (const { json } of results) {
    bytes += Buffer.byteLength(json) + 1;
    if (count > 0 && bytes > pageBytes) break;
    count += 1;
  }
  const items = results.slice(0, count).map(({ json }) => json);
  const next_cursor = count < results.length ? String(count) : null;
  return new Document({ next_cursor, replayed: results.every(({ replayed }) => replayed) }, `[${items.join(',')}]`);
};
