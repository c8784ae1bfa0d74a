import { CardinalError, type Command, unavailable } from '@cardinal/contracts';
import { sql } from 'kysely';
import { type Database, purge } from './database.ts';
import type { AnyTransaction, Reader } from './pool.ts';

/** A known command; it has a response once it has ended. */
interface KnownCommand {
  ended: boolean;
  response: unknown;
}

/**
 * Looks a command up without claiming it.
 * @returns undefined where it is new
 * @throws CardinalError `idempotency_key_reused` where the id was used with another fingerprint
 */
export const findCommand = async (
  db: Reader,
  workspaceId: string,
  { id, fingerprint }: Command,
): Promise<KnownCommand | undefined> => {
  const { rows } = await sql<KnownCommand & { fingerprint: string }>`
    select fingerprint, response, ended_at is not null as ended
    from commands where workspace_id = ${workspaceId} and id = ${id}`.execute(db);
  const [known] = rows;
  if (known && known.fingerprint !== fingerprint) {
    throw new CardinalError('idempotency_key_reused', 'The idempotency key was used for a different request');
  }
  return known;
};

/** A write. One that is safe to repeat has no command. */
interface Mutation {
  workspace_id: string;
  command?: Command | undefined;
}

/** The result of a write; `replayed` where it is the stored answer to an earlier equal command. */
export interface Outcome<Resource> {
  resource: Resource;
  replayed: boolean;
}

/**
 * Claims a write's command for the transaction. Waits for the end of a transaction that holds an equal one.
 * @returns the stored answer where the command has ended before; undefined where the caller has to run and end it
 * @throws CardinalError `idempotency_key_reused` where the command's id was used for a different request
 */
export const replayOf = async <Resource>(
  tx: AnyTransaction,
  mutation: Mutation,
  now: Date,
): Promise<Outcome<Resource> | undefined> => {
  const { workspace_id, command } = mutation;
  if (!command) return undefined;
  const { numAffectedRows } = await sql`
    insert into commands (workspace_id, id, fingerprint, created_at)
    values (${workspace_id}, ${command.id}, ${command.fingerprint}, ${now}) on conflict do nothing`.execute(tx);
  if (numAffectedRows === 1n) return undefined;
  // A new statement sees the row for which the insert waited. A row that was purged since is claimed again.
  const known = await findCommand(tx, workspace_id, command);
  if (!known) return replayOf(tx, mutation, now);
  if (!known.ended) throw unavailable('The same command is still under way');
  return { resource: known.response as Resource, replayed: true };
};

/** Ends a claimed command: stores its answer for replays. A command that has ended keeps its answer. */
export const answerCommand = async <Resource>(
  tx: AnyTransaction,
  { workspace_id, command }: { workspace_id: string; command?: Pick<Command, 'id'> | undefined },
  resource: Resource,
  now: Date,
): Promise<Outcome<Resource>> => {
  if (command) {
    await sql`
      update commands set response = ${JSON.stringify(resource ?? null)}::jsonb, ended_at = ${now}
      where workspace_id = ${workspace_id} and id = ${command.id} and ended_at is null`.execute(tx);
  }
  return { resource, replayed: false };
};

/**
 * Withdraws a claimed command that was refused after its claim was committed: it stores no answer and may be sent
 * again.
 */
export const withdrawCommand = async (
  tx: AnyTransaction,
  { workspace_id, command }: { workspace_id: string; command: Pick<Command, 'id'> },
): Promise<void> => {
  await sql`delete from commands where workspace_id = ${workspace_id} and id = ${command.id} and ended_at is null`.execute(
    tx,
  );
};

/**
 * Runs the work of a command, or returns the stored answer (CONTRACT 3.4). Claim, work and stored answer are one
 * transaction.
 * @throws CardinalError `idempotency_key_reused` where the command's id was used for a different request
 */
export const runIdempotently = async <Resource>(
  tx: AnyTransaction,
  mutation: Mutation,
  now: Date,
  work: () => Promise<Resource>,
): Promise<Outcome<Resource>> =>
  (await replayOf<Resource>(tx, mutation, now)) ?? (await answerCommand(tx, mutation, await work(), now));

/** Deletes commands that began and ended before `olderThan`, and no open ones. @returns how many */
export function purgeCommands<Tables>(db: Database<Tables>, olderThan: Date): Promise<number> {
  return purge(db, 'commands', sql`created_at < ${olderThan} and ended_at < ${olderThan}`);
}
