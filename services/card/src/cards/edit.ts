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
import { joinByKey } from './queries.ts';
import { checkWritable } from './rules.ts';
import { newEventOrigin } from './statements/card-feed.ts';
import { type CardEdit, editCards, transferCards } from './statements/edit-cards.ts';
import { type CardOutcome, replayed } from './write.ts';

/**
 * The state of a card that can prevent an edit, and the stored answer of an equal command. Read only for cards that the
 * writer sees.
 */
export interface EditObstacles {
  ordinal: number;
  version: number;
  workstream_id: string;
  board_deleted_at: Date | null;
  /** The fingerprint of an equal command that ended before; null where there is none. */
  fingerprint: string | null;
  response: unknown;
}

/** Reads the obstacles to a batch of edits; $1 the edits (`rowsFor`). */
export const explainEdits = prepared<EditObstacles>(
  'explain-edits',
  `select asked.ordinal, card.*
from json_to_recordset($1) as asked (ordinal integer, workspace_id uuid, user_id uuid, card_id uuid, command_id uuid)
-- OFFSET 0 is an optimizer fence: each row is found by its key, not by a scan of the workspace.
cross join lateral (
  select cards.version, cards.workstream_id, boards.deleted_at as board_deleted_at,
    commands.fingerprint, commands.response
  from cards
  ${joinByKey('boards', 'cards', 'board_id')}
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
 * An edit of a card's fields (CONTRACT 5.3). Null clears a field, an absent field stays, `completed` and `archived` are
 * desired states. `move.ts` restores archived cards, because a restored card can get another column.
 */
interface CardPatch extends PatchCardBody {
  archived?: true;
}

/** Edits one card: its fields, or its workstream. @throws CardinalError the refusal */
type EditCard = (request: CardCommand, patch: CardPatch) => Promise<Document<CardOutcome>>;

/**
 * Edits cards, each independently of the others. Cards that need numbers get them in the order of the requests.
 * @returns the answer or the refusal of each, in order
 */
export type EditCards = (
  requests: readonly CardCommand[],
  patch: CardPatch,
) => Promise<(Document<CardOutcome> | CardinalError)[]>;

/** Tries per request. A try fails where others used up the range, or an equal command came first. */
const maxTries = 100;

/**
 * Creates the editor of cards (CONTRACT 5.3, CONTRACT 5.4). Edits of one workspace that arrive together share a
 * statement (`editCards`). For each edit that the statement does not make, the editor replays the stored answer,
 * refuses the request, or removes the cause so that the next try succeeds.
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
          // A statement is sent again after a broken connection, possibly to another server, so it reads the epoch here.
          const met = lineage.current();
          const possible = attempts.filter((edit) => met || edit.new_workstream_id === undefined);
          const cards = JSON.stringify(possible.map(({ workspace_id: _, ...edit }, seq) => ({ ...edit, seq })));
          return met && possible.some((edit) => edit.new_workstream_id)
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

  /** Tries once. @returns the answer, or the next trial @throws CardinalError the refusal */
  const tryOnce = async (trial: Trial): Promise<Document<CardOutcome> | Trial> => {
    const { request, patch, attempt } = trial;
    const { workspace_id, user_id, card_id, command, if_match } = request;
    const requested = patch.workstream_id;
    const { new_workstream_id: target } = attempt;
    if (target === undefined || grants.knows(workspace_id, target)) {
      const written = await edits.submit(attempt).catch(unlessClaimed);
      if (written) return written;
    }
    // The steps below follow the order of checks (CONTRACT 1.5).
    const readObstacles = () => obstacles.submit({ workspace_id, user_id, card_id, command_id: command.id });
    const card = await readObstacles();
    if (!card) throw notFound('Card');
    if (card.fingerprint !== null) return replay(card, command);
    requireVersion(card, if_match);
    // A card that is in the requested workstream already needs no number, even if the workstream is archived.
    const isInTarget = card.workstream_id === requested;
    if (requested !== undefined && !isInTarget) {
      try {
        await grants.ensure(workspace_id, requested);
      } catch (refusal) {
        // Since the check above, an equal command may have got a number before the workstream was archived.
        const since = await readObstacles();
        if (since && since.fingerprint !== null) return replay(since, command);
        throw refusal;
      }
    }
    checkWritable(card);
    const nextAttempt = isInTarget
      ? { ...attempt, new_workstream_id: undefined, if_match: [card.version] }
      : { ...attempt, new_workstream_id: requested, if_match };
    return { ...trial, attempt: nextAttempt };
  };

  const editAll: EditCards = async (requests, patch) => {
    const answers: (Document<CardOutcome> | CardinalError)[] = [];
    let trials = requests.map(
      (request, at): Trial => ({ request, patch, at, attempt: toAttempt(request, patch, now()) }),
    );
    for (let tries = 0; trials.length > 0 && tries < maxTries; tries += 1) {
      const outcomes = await Promise.allSettled(trials.map(tryOnce));
      const tried = trials;
      trials = [];
      for (const [index, outcome] of outcomes.entries()) {
        const { at = 0 } = tried[index] ?? {};
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

/** An edit to try. */
interface Trial {
  /** The index among the requests of one call, from 0. */
  at: number;
  request: CardCommand;
  patch: CardPatch;
  attempt: CardEdit & Caller;
}

/** Returns a refusal as a value. @throws any other error */
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
