import { type Caller, type Card, CardinalError } from '@cardinal/contracts';
import type { Query } from './database.ts';

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
export const claim = async (query: Query, caller: Caller, command: Command): Promise<Answer | undefined> => {
  const mine = await query(
    `insert into commands (workspace_id, id, fingerprint) values ($1, $2, $3) on conflict do nothing returning id`,
    [caller.workspace_id, command.id, command.fingerprint],
  );
  if (mine.length > 0) return undefined;
  const [stored] = await query<{ fingerprint: string; status: number; body: string }>(
    'select fingerprint, status, body from commands where workspace_id = $1 and id = $2',
    [caller.workspace_id, command.id],
  );
  if (stored?.fingerprint !== command.fingerprint) {
    throw new CardinalError('idempotency_key_reused', 'The key was used with another request');
  }
  const { data } = JSON.parse(stored.body) as { data: Card };
  return { status: stored.status, version: data.version, body: stored.body };
};
