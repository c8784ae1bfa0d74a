import { CardinalError, type Command } from '@cardinal/contracts';

/** Which command: ids are unique within a workspace. */
export interface CommandKey {
  workspaceId: string;
  id: string;
}

/** A command as it arrives. */
export interface CommandClaim extends CommandKey {
  fingerprint: Command['fingerprint'];
}

/** A command met before: still under way, or ended with the response stored then. */
export type KnownCommand = { state: 'pending' } | { state: 'ended'; response: unknown };

/** A row of `commands`, as the queries here select it. */
export interface CommandRow {
  workspace_id: string;
  id: string;
  fingerprint: string;
  response: unknown;
  ended: boolean;
}

/** What a row says about a command that arrives now; an error where the key was used for another request. */
export function judge(row: CommandRow, fingerprint: string): KnownCommand | CardinalError {
  if (row.fingerprint !== fingerprint) {
    return new CardinalError('idempotency_key_reused', 'The idempotency key was used for a different request');
  }
  return row.ended ? { state: 'ended', response: row.response } : { state: 'pending' };
}

/** Equal for equal commands; its order is the order in which commands are locked. */
export const keyOf = (workspaceId: string, id: string) => `${workspaceId}/${id}`.toLowerCase();
