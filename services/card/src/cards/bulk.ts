import {
  type BulkCardsBody,
  type Caller,
  CardinalError,
  card as cardSchema,
  bulkCards as contract,
  Document,
  errorStatus,
  isIdentifier,
  notFound,
} from '@cardinal/contracts';
import { runIdempotently } from '@cardinal/db';
import { coalesce, currentContext, pageBytes } from '@cardinal/runtime';
import { v5 } from 'uuid';
import type { z } from 'zod';
import type { ServiceContext } from '../context.ts';
import { lockLabels } from '../labels/labels.ts';
import { type EditCards, refusalOf } from './edit.ts';
import type { cardMoves } from './move.ts';
import { excluding, including } from './rules.ts';
import { type CardOutcome, writeCard } from './write.ts';

type Request = z.output<typeof contract.request>;
type Reply = Document<z.output<typeof contract.reply>>;

/** The request for one of the cards, as the operation on a single card takes it. */
interface SingleRequest extends Caller {
  card_id: string;
  command: Request['command'];
  if_match: number[] | undefined;
}
type Answer = CardOutcome | Document<CardOutcome>;
/** Changes cards. @returns the answer or the refusal of each, in order; a card may be changed when its answer is taken */
type Change = (all: readonly SingleRequest[]) => AsyncIterable<Answer | CardinalError>;

/**
 * Serves changes of many cards (CONTRACT 5.8). Each card is changed by the operation on a single card, under its own
 * command, which is derived from the request's command. So a repetition replays the answers of finished cards and tries
 * the others.
 *
 * Equal requests that run at the same time share one answer. Other requests of a workspace are queued: requests for the
 * same cards would otherwise wait for each other until all time out.
 * @param editAll edits many cards
 * @param moves moves and restores single cards
 */
export const serveBulk = (context: ServiceContext, editAll: EditCards, moves: ReturnType<typeof cardMoves>): void => {
  const { bus, db, now } = context;
  const underWay = new Map<string, Promise<Reply>>();

  /**
   * Stores the request's command, so that no other request can use its key, even if every card is refused.
   * @throws CardinalError `idempotency_key_reused`
   */
  const claim = (request: Request) => db.transaction((tx) => runIdempotently(tx, request, now(), async () => null));

  const answer = async (request: Request): Promise<Reply> => {
    const { workspace_id, user_id, command, body } = request;
    await claim(request);
    const all = body.cards.map(({ card, version }) => ({
      workspace_id,
      user_id,
      card_id: card,
      command: { id: v5(card, command.id), fingerprint: command.fingerprint },
      if_match: version === undefined ? undefined : [version],
    }));
    return answerOf(all, changeOf(context, { editAll, moves }, body)(all));
  };

  const queue = coalesce<Request, Reply>({
    name: 'bulk_requests',
    laneOf: ({ workspace_id }) => workspace_id,
    concurrency: 2,
    maxBatch: 1,
    run: (requests) => Promise.all(requests.map((request) => answer(request).catch((error: Error) => error))),
  });

  bus.serve(contract, (request) => {
    const { workspace_id, user_id, command, body } = request;
    if (body.cards.some(({ card }) => isIdentifier(card))) {
      throw new CardinalError('invalid_request', 'Cards are named by their ids here');
    }
    // The gateway requests a long answer in parts. The requests of the parts differ by their first card.
    const key = [workspace_id, user_id, command.id, command.fingerprint, body.cards[0]?.card].join();
    const shared = underWay.get(key) ?? queue.submit(request).finally(() => underWay.delete(key));
    underWay.set(key, shared);
    return shared;
  });
};

/**
 * Chooses the operation of a request. Edits share statements. Operations that lock columns or labels run card by card, and
 * only for as many cards as an answer holds: the others would be changed again for each further part.
 */
const changeOf = (
  context: ServiceContext,
  { editAll, moves }: { editAll: EditCards; moves: ReturnType<typeof cardMoves> },
  body: BulkCardsBody,
): Change => {
  const { transfer, patch, archive, move, restore } = body;
  const edit = transfer ?? patch ?? (archive && { archived: true as const });
  if (edit) return (all) => together(editAll(all.map(versioned), edit));
  if (move) return oneByOne((one) => moves.move({ ...versioned(one), body: move }));
  if (restore) return oneByOne((one) => moves.restore(versioned(one)));
  return oneByOne((one) => mark(context, one, body));
};

async function* together(answers: Promise<(Answer | CardinalError)[]>) {
  yield* await answers;
}

const oneByOne = (change: (one: SingleRequest) => Promise<Answer>): Change =>
  async function* (all) {
    for (const one of all) yield await change(one).catch(refusalOf);
  };

/** Adds the versions of `If-Match`. The contract requires a version for every operation that checks one. */
const versioned = (one: SingleRequest) => ({ ...one, if_match: one.if_match ?? [] });

/** Adds or removes all given labels or assignees of a card in one write, as one version. */
const mark = (
  context: ServiceContext,
  { if_match, ...one }: SingleRequest,
  body: BulkCardsBody,
): Promise<CardOutcome> => {
  const { add_labels, remove_labels = [], add_assignees = [], remove_assignees = [] } = body;
  return writeCard(
    context,
    { ...one, ...(if_match && { if_match }) },
    'card.updated',
    (_tx, card, locked: Set<string>) => {
      if (add_labels && locked.size < new Set(add_labels).size) throw notFound('Label');
      const added = (add_labels ?? []).reduce((ids, id) => including(ids, id, 'labels'), card.label_ids);
      const users = add_assignees.reduce((ids, id) => including(ids, id, 'assignees'), card.assignee_user_ids);
      return {
        label_ids: remove_labels.reduce(excluding, added),
        assignee_user_ids: remove_assignees.reduce(excluding, users),
      };
    },
    (tx) => lockLabels(tx, one.workspace_id, add_labels ?? []),
  );
};

/** An item of the answer, as JSON. */
interface Result {
  json: string;
  replayed: boolean;
}

const resultOf = (card: string, answer: Answer | CardinalError): Result => {
  if (answer instanceof CardinalError) {
    const { code, message, details } = answer;
    const error = { code, message, request_id: currentContext()?.requestId ?? '', ...(details && { details }) };
    return { json: JSON.stringify({ card, status: errorStatus[code], error }), replayed: false };
  }
  const replayed = answer instanceof Document ? answer.head.replayed === true : answer.replayed;
  const data = answer instanceof Document ? answer.text : JSON.stringify(cardSchema.parse(answer.resource));
  return { json: `{"card":"${card}","status":200,"data":${data}}`, replayed };
};

/** Makes an answer of as many items as a message holds. The gateway requests the others, from `next_cursor` on. */
const answerOf = async (
  all: readonly SingleRequest[],
  answers: AsyncIterable<Answer | CardinalError>,
): Promise<Reply> => {
  const items: string[] = [];
  let [bytes, isReplay, isWhole] = [0, true, true];
  for await (const answer of answers) {
    const { json, replayed } = resultOf(all[items.length]?.card_id ?? '', answer);
    bytes += Buffer.byteLength(json) + 1;
    isReplay &&= replayed;
    isWhole = items.length === 0 || bytes <= pageBytes;
    if (!isWhole) break;
    items.push(json);
  }
  const next_cursor = isWhole ? null : String(items.length);
  return new Document({ next_cursor, replayed: isReplay }, `[${items.join(',')}]`);
};
