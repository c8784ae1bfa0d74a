import { type Caller, CardinalError, type Command, notFound, requireVersion, unavailable } from '@cardinal/contracts';
import { coalesce, currentContext } from '@cardinal/runtime';
import { v7 } from 'uuid';
import { type CardChange, checkWritable, nextVersion } from '../cards/rules.ts';
import { type CardOutcome, replayed } from '../cards/write.ts';
import type { Parts } from '../parts.ts';
import { type CardToDecideOn, readCardsToWrite } from '../store/statements/read-cards-to-write.ts';
import { type CardToWrite, writeCards } from '../store/statements/write-cards.ts';
import { unlessClaimed, writeBatch } from './batch.ts';

/** A command on a card's own fields. */
interface CardCommand extends Caller {
  command: Command;
  if_match: number[];
  card_id: string;
}

/** Decides what becomes of a card; throws a CardinalError to refuse. */
export type Decide = (card: CardToDecideOn, now: Date) => CardChange;

/** Changes one card's own fields, its workstream too. */
export type EditCard = (request: CardCommand, decide: Decide) => Promise<CardOutcome>;

/** A decided change on its way. */
interface Attempt extends CardToWrite {
  workspace_id: string;
}

/** Tries of one request: each fails because another writer came first. */
const mostTries = 100;

/**
 * Changes cards in two statements, which all requests share that arrive together: what decides is read, the rules decide,
 * and the change is written if the card is still the one that was read. Else it is decided anew.
 */
export const cardEditor = (parts: Parts): EditCard => {
  const { db, grants } = parts;
  const reads = coalesce<CardCommand, CardToDecideOn | undefined>({
    laneOf: (request) => request.workspace_id,
    concurrency: 2,
    run: async (requests) => {
      const rows = await db.read((tx) =>
        readCardsToWrite.run(tx, [
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

  const writes = coalesce<Attempt, string | undefined>({
    laneOf: (attempt) => attempt.workspace_id,
    run: (attempts) => {
      const workspaceId = attempts[0]?.workspace_id ?? '';
      const commands = attempts.map(({ command_id }) => command_id);
      return writeBatch(parts, commands, () =>
        db.statement((tx) => {
          // A statement that is sent again after its connection broke may meet another server.
          const sure = attempts.filter(({ target }) => target === null || grants.knows(workspaceId, target));
          const cards = sure.map(({ workspace_id: _, ...card }, seq) => ({ ...card, seq }));
          return writeCards.run(tx, [JSON.stringify(cards), workspaceId]);
        }),
      );
    },
  });

  return async (request, decide) => {
    const { workspace_id, command } = request;
    const request_id = currentContext()?.requestId ?? command.id;
    for (let tries = 0; tries < mostTries; tries += 1) {
      const card = await reads.submit(request);
      if (!card) throw notFound('Card');
      if (card.fingerprint !== null) return replay(card, command);
      requireVersion(card, request.if_match);
      checkWritable(card);
      const now = new Date();
      const change = decide(card, now);
      const { target } = change;
      if (target !== null && (tries > 0 || !grants.knows(workspace_id, target))) {
        await grants.ensure(workspace_id, target);
      }
      const written = await writes.submit(toAttempt(request, request_id, card, change, now)).catch(unlessClaimed);
      if (written) return { resource: JSON.parse(written), replayed: false };
    }
    throw unavailable('The card changes all the time');
  };
};

const replay = ({ fingerprint, response }: CardToDecideOn, command: Command): CardOutcome => {
  if (fingerprint !== command.fingerprint) {
    throw new CardinalError('idempotency_key_reused', 'The idempotency key was used for a different request');
  }
  return replayed(response);
};

const toAttempt = (
  { workspace_id, user_id, command }: CardCommand,
  request_id: string,
  card: CardToDecideOn,
  change: CardChange,
  now: Date,
): Attempt => {
  const next = { ...card, ...change.fields };
  return {
    workspace_id,
    seq: 0,
    card_id: card.id,
    read_version: card.version,
    next_version: nextVersion(card.version, change),
    next_title: next.title,
    next_description: next.description,
    next_due_date: next.due_date?.toISOString() ?? null,
    next_priority: next.priority,
    next_completed_at: next.completed_at?.toISOString() ?? null,
    next_archived_at: next.archived_at?.toISOString() ?? null,
    at: now.toISOString(),
    target: change.target,
    user_id,
    command_id: command.id,
    fingerprint: command.fingerprint,
    event_id: v7(),
    event_type: change.target === null ? 'card.updated' : 'card.transferred',
    request_id,
  };
};
