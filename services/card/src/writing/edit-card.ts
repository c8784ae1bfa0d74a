import {
  type Caller,
  CardinalError,
  type Command,
  notFound,
  type PatchCardBody,
  requireVersion,
  unavailable,
} from '@cardinal/contracts';
import { coalesce, currentContext } from '@cardinal/runtime';
import { v7 } from 'uuid';
import { checkWritable } from '../cards/rules.ts';
import { type CardOutcome, replayed } from '../cards/write.ts';
import type { ServiceContext } from '../context.ts';
import { type CardEdit, editCards } from '../store/statements/edit-cards.ts';
import { type EditObstacles, explainEdits } from '../store/statements/explain-edits.ts';
import { unlessClaimed, writeBatch } from './batch.ts';

/** A command on a card's own fields. */
interface CardCommand extends Caller {
  command: Command;
  if_match: number[];
  card_id: string;
}

/**
 * What is to become of a card (specification, "States and transitions"): null clears, an absent field stays, `completed`
 * and `archived` are desired states.
 */
interface Wish extends PatchCardBody {
  archived?: boolean;
}

/** Changes one card's own fields, its workstream too. @throws ColumnArchived for a card that cannot come back to its place */
export type EditCard = (request: CardCommand, wish: Wish) => Promise<CardOutcome>;

/** The card is to come back, and its column is archived. */
export class ColumnArchived extends Error {}

/** An edit on its way. */
interface Attempt extends CardEdit {
  workspace_id: string;
}

/** Tries of one request: others used up the range, an equal command came first, … */
const mostTries = 100;

/**
 * Edits cards, all that arrive together in one statement (`editCards`). What does not fit it is explained: that ends the
 * request with an answer of before or a refusal, or clears the way for the next try.
 */
export const cardEditor = (parts: ServiceContext): EditCard => {
  const { db, grants } = parts;
  const edits = coalesce<Attempt, string | undefined>({
    name: 'card_edits',
    laneOf: (attempt) => attempt.workspace_id,
    run: (attempts) => {
      const workspaceId = attempts[0]?.workspace_id ?? '';
      const commands = attempts.map(({ command_id }) => command_id);
      return writeBatch(parts, commands, () =>
        db.statement((tx) => {
          // A statement that is sent again after its connection broke may meet another server.
          const sure = attempts.filter(
            ({ wanted_workstream_id: wanted }) => wanted === null || grants.knows(workspaceId, wanted),
          );
          const cards = sure.map(({ workspace_id: _, ...edit }, seq) => ({ ...edit, seq }));
          return editCards.run(tx, [JSON.stringify(cards), workspaceId]);
        }),
      );
    },
  });

  const obstacles = coalesce<CardCommand, EditObstacles | undefined>({
    name: 'edit_obstacles',
    laneOf: (request) => request.workspace_id,
    concurrency: 2,
    run: async (requests) => {
      const rows = await db.read((tx) =>
        explainEdits.run(tx, [
          requests[0]?.workspace_id,
          requests.map((request) => request.card_id),
          requests.map((request) => request.user_id),
          requests.map((request) => request.command.id),
        ]),
      );
      const byPlace = new Map(rows.map((row) => [row.place, row]));
      return requests.map((_, index) => byPlace.get(index + 1));
    },
  });

  return async (request, wish) => {
    const { workspace_id, command, if_match } = request;
    const wanted = wish.workstream_id ?? null;
    let attempt = toAttempt(request, wish);
    for (let tries = 0; tries < mostTries; tries += 1) {
      const { wanted_workstream_id: target } = attempt;
      if (target === null || grants.knows(workspace_id, target)) {
        const written = await edits.submit(attempt).catch(unlessClaimed);
        if (written) return { resource: JSON.parse(written), replayed: false };
      }
      // In the order of the checks (api-decisions, "Requests, responses, errors").
      const card = await obstacles.submit(request);
      if (!card) throw notFound('Card');
      if (card.fingerprint !== null) return replay(card, command);
      requireVersion(card, if_match);
      checkWritable(card);
      if (wish.archived === false && card.in_archived_column) throw new ColumnArchived();
      // A card that is where it is wanted needs no number, whatever became of its workstream.
      const isThere = card.workstream_id === wanted;
      attempt = isThere
        ? { ...attempt, wanted_workstream_id: null, if_match: [card.version] }
        : { ...attempt, wanted_workstream_id: wanted, if_match };
      if (wanted !== null && !isThere) await grants.ensure(workspace_id, wanted);
    }
    throw unavailable('The card changes all the time');
  };
};

const replay = ({ fingerprint, response }: EditObstacles, command: Command): CardOutcome => {
  if (fingerprint !== command.fingerprint) {
    throw new CardinalError('idempotency_key_reused', 'The idempotency key was used for a different request');
  }
  return replayed(response);
};

const toAttempt = ({ workspace_id, user_id, card_id, if_match, command }: CardCommand, wish: Wish): Attempt => ({
  workspace_id,
  seq: 0,
  card_id,
  user_id,
  if_match,
  arrived_at: new Date().toISOString(),
  wanted_title: wish.title ?? null,
  sets_description: wish.description !== undefined,
  wanted_description: wish.description ?? null,
  sets_due_date: wish.due_date !== undefined,
  wanted_due_date: wish.due_date ?? null,
  sets_priority: wish.priority !== undefined,
  wanted_priority: wish.priority ?? null,
  completed: wish.completed ?? null,
  archived: wish.archived ?? null,
  wanted_workstream_id: wish.workstream_id ?? null,
  command_id: command.id,
  fingerprint: command.fingerprint,
  event_id: v7(),
  request_id: currentContext()?.requestId ?? command.id,
});
