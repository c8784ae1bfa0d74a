import {
  type Caller,
  CardinalError,
  type Command,
  type Document,
  documentOf,
  notFound,
  type PatchCardBody,
  requireVersion,
  unavailable,
} from '@cardinal/contracts';
import { prepared, rowsFor } from '@cardinal/db';
import { coalesce } from '@cardinal/runtime';
import { visibleTo } from '../boards/queries.ts';
import type { ServiceContext } from '../context.ts';
import { unlessClaimed, writeBatch } from './batch.ts';
import { writableFields } from './fields.ts';
import { checkWritable } from './rules.ts';
import { newEventOrigin } from './statements/card-feed.ts';
import { type CardEdit, editCards, transferCards } from './statements/edit-cards.ts';
import { type CardOutcome, replayed } from './write.ts';

/** What may stand against the edit of a card that its writer sees, and what became of the writer's command. */
export interface EditObstacles {
  ordinal: number;
  version: number;
  workstream_id: string;
  board_deleted_at: Date | null;
  /** From an equal command that ended before; null where there was none. */
  fingerprint: string | null;
  response: unknown;
}

/** Reads what may stand against edits, all that a batch asks for at once; $1 the edits (`rowsFor`). */
export const explainEdits = prepared<EditObstacles>(
  'explain-edits',
  `select asked.ordinal, card.*
from json_to_recordset($1) as asked (ordinal integer, workspace_id uuid, user_id uuid, card_id uuid, command_id uuid)
-- Each by its key: the offset keeps Postgres from passing everything of the workspace.
cross join lateral (
  select cards.version, cards.workstream_id, boards.deleted_at as board_deleted_at,
    commands.fingerprint, commands.response
  from cards
  join boards on boards.workspace_id = cards.workspace_id and boards.id = cards.board_id
  left join commands on commands.workspace_id = asked.workspace_id and commands.id = asked.command_id
  where cards.workspace_id = asked.workspace_id and cards.id = asked.card_id
    and ${visibleTo('asked.user_id')}
  offset 0
) as card`,
);

interface CardCommand extends Caller {
  command: Command;
  if_match: number[];
  card_id: string;
}

/**
 * What is to become of a card (CONTRACT 5.3): null clears, an absent field stays, `completed`
 * and `archived` are desired states. Bringing a card back may take another column: see `move.ts`.
 */
interface CardPatch extends PatchCardBody {
  archived?: true;
}

/** Changes one card's own fields, its workstream too. @throws CardinalError why it is not changed */
type EditCard = (request: CardCommand, patch: CardPatch) => Promise<Document<CardOutcome>>;

/**
 * Changes cards' own fields, their workstreams too, each for itself. Those that need numbers get them in the order in which
 * they are named.
 * @returns what became of each: its answer, or why it was not changed
 */
export type EditCards = (
  requests: readonly CardCommand[],
  patch: CardPatch,
) => Promise<(Document<CardOutcome> | CardinalError)[]>;

/** Tries of one request: others used up the range, an equal command came first, … */
const maxTries = 100;

/**
 * Edits cards, all that arrive together in one statement (`editCards`). What does not fit it is explained: that ends the
 * request with an answer of before or a refusal, or clears the way for the next try.
 */
export const cardEditor = (parts: ServiceContext): { editOne: EditCard; editAll: EditCards } => {
  const { db, grants, lineage, now } = parts;
  const edits = coalesce<CardEdit & Caller, Document<CardOutcome> | undefined>({
    name: 'card_edits',
    laneOf: (attempt) => attempt.workspace_id,
    run: (attempts) => {
      const workspaceId = attempts[0]?.workspace_id ?? '';
      const commands = attempts.map(({ command_id }) => command_id);
      return writeBatch(parts, workspaceId, commands, () =>
        db.statement((tx) => {
          // A statement that is sent again after its connection broke may reach another server.
          const met = lineage.current();
          const sure = attempts.filter((edit) => met || edit.new_workstream_id === undefined);
          const cards = JSON.stringify(sure.map(({ workspace_id: _, ...edit }, seq) => ({ ...edit, seq })));
          return met && sure.some((edit) => edit.new_workstream_id)
            ? transferCards.run(tx, [cards, workspaceId, met.epoch, met.table])
            : editCards.run(tx, [cards, workspaceId]);
        }),
      );
    },
  });

  const obstacles = coalesce<Caller & { card_id: string; command_id: string }, EditObstacles | undefined>({
    name: 'edit_obstacles',
    laneOf: (edit) => edit.workspace_id,
    concurrency: 2,
    run: (edits) => db.read((tx) => rowsFor(tx, explainEdits, edits)),
  });

  /** Tries once. @returns the answer, or what is to be tried next @throws CardinalError why the card is not changed */
  const tryOnce = async (trial: Trial): Promise<Document<CardOutcome> | Trial> => {
    const { request, patch, attempt } = trial;
    const { workspace_id, user_id, card_id, command, if_match } = request;
    const requested = patch.workstream_id;
    const { new_workstream_id: target } = attempt;
    if (target === undefined || grants.knows(workspace_id, target)) {
      const written = await edits.submit(attempt).catch(unlessClaimed);
      if (written) return written;
    }
    // In the order of the checks (CONTRACT 1.5).
    const look = () => obstacles.submit({ workspace_id, user_id, card_id, command_id: command.id });
    const card = await look();
    if (!card) throw notFound('Card');
    if (card.fingerprint !== null) return replay(card, command);
    requireVersion(card, if_match);
    // A card already in the requested workstream needs no number, even where that is archived by now.
    const isThere = card.workstream_id === requested;
    if (requested !== undefined && !isThere) {
      try {
        await grants.ensure(workspace_id, requested);
      } catch (refusal) {
        // An equal command may have taken a number since we looked, before the workstream was archived.
        const since = await look();
        if (since && since.fingerprint !== null) return replay(since, command);
        throw refusal;
      }
    }
    checkWritable(card);
    const again = isThere
      ? { ...attempt, new_workstream_id: undefined, if_match: [card.version] }
      : { ...attempt, new_workstream_id: requested, if_match };
    return { ...trial, attempt: again };
  };

  const editAll: EditCards = async (requests, patch) => {
    const answers: (Document<CardOutcome> | CardinalError)[] = [];
    let trials = requests.map(
      (request, at): Trial => ({ request, patch, at, attempt: toAttempt(request, patch, now()) }),
    );
    for (let tries = 0; trials.length > 0 && tries < maxTries; tries += 1) {
      const tried = await Promise.allSettled(trials.map(tryOnce));
      const were = trials;
      trials = [];
      for (const [index, outcome] of tried.entries()) {
        const { at = 0 } = were[index] ?? {};
        if (outcome.status === 'rejected') answers[at] = refusalOf(outcome.reason);
        else if ('attempt' in outcome.value) trials.push(outcome.value);
        else answers[at] = outcome.value;
      }
    }
    for (const { at } of trials) answers[at] = unavailable('The card changes all the time');
    return answers;
  };
  const editOne: EditCard = async (request, patch) => {
    const [answer] = await editAll([request], patch);
    if (!answer || answer instanceof CardinalError) throw answer;
    return answer;
  };
  return { editOne, editAll };
};

/** An edit that is to be tried. */
interface Trial {
  /** Which of those that came together, from 0. */
  at: number;
  request: CardCommand;
  patch: CardPatch;
  attempt: CardEdit & Caller;
}

/** A refusal as a value. @throws what is none */
export const refusalOf = (error: unknown): CardinalError => {
  if (error instanceof CardinalError) return error;
  throw error;
};

const replay = ({ fingerprint, response }: EditObstacles, command: Command): Document<CardOutcome> => {
  if (fingerprint !== command.fingerprint) {
    throw new CardinalError('idempotency_key_reused', 'The idempotency key was used for a different request');
  }
  return documentOf(replayed(response));
};

const fieldEdits = (patch: CardPatch): Partial<CardEdit> =>
  Object.fromEntries(
    writableFields.flatMap(({ name, ...field }) => {
      if (patch[name] === undefined) return [];
      const value = [`new_${name}`, patch[name]];
      return 'required' in field ? [value] : [[`sets_${name}`, true], value];
    }),
  );

const toAttempt = (
  { workspace_id, user_id, card_id, if_match, command }: CardCommand,
  patch: CardPatch,
  now: Date,
): CardEdit & Caller => ({
  workspace_id,
  seq: 0,
  card_id,
  user_id,
  if_match,
  arrived_at: now.toISOString(),
  ...fieldEdits(patch),
  completed: patch.completed,
  archived: patch.archived,
  new_workstream_id: patch.workstream_id,
  command_id: command.id,
  fingerprint: command.fingerprint,
  ...newEventOrigin(),
});
