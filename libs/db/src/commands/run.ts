import { type Command, unavailable } from '@cardinal/contracts';
import type { AnyTransaction } from '../handles.ts';
import { claimCommands } from './claim.ts';
import { endCommands } from './end.ts';

/** A mutation as it arrives; what repeats itself harmlessly carries no command. */
interface Mutation {
  workspace_id: string;
  command?: Command | undefined;
}

/** What a mutation made; `replayed` where it is the stored answer to an earlier equal command. */
export interface Outcome<Resource> {
  resource: Resource;
  replayed: boolean;
}

/**
 * Claims a mutation's command for the transaction. An equal one at the same moment waits here for this transaction to end.
 * @returns the stored answer where the command ended before; undefined where it is ours to run and to end
 * @throws CardinalError `idempotency_key_reused` where the command's id stands for a different request
 */
export const replayOf = async <Resource>(
  tx: AnyTransaction,
  { workspace_id: workspaceId, command }: Mutation,
  now: Date,
): Promise<Outcome<Resource> | undefined> => {
  if (!command) return undefined;
  const [claim] = await claimCommands(tx, [{ workspaceId, ...command }], now);
  if (!claim || claim instanceof Error) throw claim ?? new Error('A claim was not answered');
  if (claim.state === 'pending') throw unavailable('The same command is still under way');
  return claim.state === 'ended' ? { resource: claim.response as Resource, replayed: true } : undefined;
};

/** Ends a claimed command: stores its answer for whoever sends it again. */
export const answerCommand = async <Resource>(
  tx: AnyTransaction,
  { workspace_id: workspaceId, command }: Mutation,
  resource: Resource,
  now: Date,
): Promise<Outcome<Resource>> => {
  if (command) await endCommands(tx, [{ workspaceId, id: command.id, response: resource }], now);
  return { resource, replayed: false };
};

/**
 * Does the work of a command unless it was done before; then answers what was answered then (api-decisions,
 * "Idempotency"). Claim, work and stored answer are one transaction.
 * @throws CardinalError `idempotency_key_reused` where the command's id stands for a different request
 */
export const runIdempotently = async <Resource>(
  tx: AnyTransaction,
  mutation: Mutation,
  now: Date,
  work: () => Promise<Resource>,
): Promise<Outcome<Resource>> =>
  (await replayOf<Resource>(tx, mutation, now)) ?? (await answerCommand(tx, mutation, await work(), now));
