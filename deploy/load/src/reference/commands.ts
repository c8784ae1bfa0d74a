import { type Card, CardinalError } from '@cardinal/contracts';
import type { Query, Row } from './database.ts';

/** A request that may be repeated under its key. */
export interface Command {
  id: string;
  fingerprint: string;
}

export interface Answer {
  status: number;
  version: number;
  body: string;
}

/** @throws CardinalError `idempotency_key_reused`; answers what an earlier equal command answered */
export const claim = async (query: Query, workspaceId: string, command: Command): Promise<Answer | undefined> => {
  const mine = await query(
    `insert into commands (workspace_id, id, fingerprint) values ($1, $2, $3) on conflict do nothing returning id`,
    [workspaceId, command.id, command.fingerprint],
  );
  if (mine.length > 0) return undefined;
  const [stored] = await query<{ fingerprint: string; status: number; body: string }>(
    'select fingerprint, status, body from commands where workspace_id = $1 and id = $2',
    [workspaceId, command.id],
  );
  if (stored?.fingerprint !== command.fingerprint) {
    throw new CardinalError('idempotency_key_reused', 'The key was used with another request');
  }
  const { data } = JSON.parse(stored.body) as { data: Card };
  return { status: stored.status, version: data.version, body: stored.body };
};

/** Writes the audit row of a change, as a part of a statement. Its parameters are from the n-th on */
export const audited = (n: number): string =>
  `audited as (insert into audit (workspace_id, type, subject_id, user_id, at, changed)
    values ($1, $${n}, $${n + 1}, $${n + 2}, $${n + 3}, $${n + 4}))`;

/** The ledger's entry of a card's new identifier, the audit row and the stored answer, in one statement. */
export const record = (
  query: Query,
  userId: string,
  card: Row,
  command: Command,
  { status, body }: Answer,
  type: string,
) =>
  query(
    `with former as (update identifiers set superseded_at = $5 where workspace_id = $1 and card_id = $3 and superseded_at is null),
       entry as (insert into identifiers (workspace_id, identifier, card_id, workstream_id, assigned_at, assigned_by)
         values ($1, $2, $3, $4, $5, $6)),
       ${audited(10)}
     update commands set status = $7, body = $8 where workspace_id = $1 and id = $9`,
    [
      ...[card.workspace_id, card.identifier, card.id, card.workstream_id, card.updated_at],
      ...[userId, status, body, command.id],
      ...[type, card.id, userId, card.updated_at, body],
    ],
  );
