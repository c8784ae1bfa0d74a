import { type Command, unavailable } from '@cardinal/contracts';
import { claimCommands, endCommands } from '@cardinal/db';
import type { z } from 'zod';
import type { Tx } from '../store/database.ts';

/**
 * Does the work of a command unless it was done before; then answers what was answered then (api-decisions,
 * "Idempotency"). An equal command at the same moment waits here for this transaction to end.
 * @throws CardinalError `idempotency_key_reused` where the command's id stands for a different request
 */
export const once = async <Response extends z.ZodType>(
  tx: Tx,
  response: Response,
  { workspace_id, command }: { workspace_id: string; command: Command },
  now: Date,
  work: () => Promise<z.output<Response>>,
): Promise<{ resource: z.output<Response>; replayed: boolean }> => {
  const [claim] = await claimCommands(tx, [{ workspaceId: workspace_id, ...command }], now);
  if (claim instanceof Error) throw claim;
  if (claim?.state === 'ended') return { resource: response.parse(claim.response), replayed: true };
  if (claim?.state !== 'claimed') throw unavailable('The command is under way');
  const resource = await work();
  await endCommands(tx, [{ workspaceId: workspace_id, id: command.id, response: resource }], now);
  return { resource, replayed: false };
};
