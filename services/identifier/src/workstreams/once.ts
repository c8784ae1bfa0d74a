import { type Command, unavailable, type Workstream, workstream } from '@cardinal/contracts';
import { claimCommands, endCommands, type Transaction } from '@cardinal/db';
import type { DB } from '../store/tables.gen.ts';

/** A mutation of a workstream by a writer who names its version. */
export interface VersionedRequest {
  workspace_id: string;
  workstream_id: string;
  command: Command;
  if_match: number[];
}

/** The state after a mutation; `replayed` where it is the stored answer to an earlier equal command. */
export interface Outcome {
  resource: Workstream;
  replayed: boolean;
}

/**
 * Does the work of a command unless it was done before; then answers what was answered then (api-decisions,
 * "Idempotency"). An equal command at the same moment waits here for this transaction to end.
 * @throws CardinalError `idempotency_key_reused` where the command's id stands for a different request
 */
export const once = async (
  tx: Transaction<DB>,
  { workspace_id, command }: { workspace_id: string; command: Command },
  now: Date,
  work: () => Promise<Workstream>,
): Promise<Outcome> => {
  const [claim] = await claimCommands(tx, [{ workspaceId: workspace_id, ...command }], now);
  if (claim instanceof Error) throw claim;
  if (claim?.state === 'ended') return { resource: workstream.parse(claim.response), replayed: true };
  if (claim?.state !== 'claimed') throw unavailable('The command is under way');
  const resource = await work();
  await endCommands(tx, [{ workspaceId: workspace_id, id: command.id, response: resource }], now);
  return { resource, replayed: false };
};
