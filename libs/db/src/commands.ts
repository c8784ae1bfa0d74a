import { CardinalError, type Command, unavailable } from '@cardinal/contracts';
import { sql } from 'kysely';
import { type Database, purge } from './database.ts';
import type { AnyTransaction, Reader } from './statements.ts';

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
interface CommandRow {
  workspace_id: string;
  id: string;
  fingerprint: string;
  response: unknown;
  ended: boolean;
}

/** What a row says about a command that arrives now; an error where the key was used for another request. */
function knownCommand(row: CommandRow, fingerprint: string): KnownCommand | CardinalError {
  if (row.fingerprint !== fingerprint) {
    return new CardinalError('idempotency_key_reused', 'The idempotency key was used for a different request');
  }
  return row.ended ? { state: 'ended', response: row.response } : { state: 'pending' };
}

/** Equal for equal commands; its order is the order in which commands are locked. */
const keyOf = (workspaceId: string, id: string) => `${workspaceId}/${id}`.toLowerCase();

/** What became of one claim: ours now, or met before. */
export type Claim = { state: 'claimed' } | KnownCommand;

/** Far more often than commands are released and claimed anew between two statements. */
const maxRounds = 10;

/**
 * Claims commands for the transaction `tx`. Waits for a transaction that is claiming one of them at this moment, and then
 * sees what it left. One statement when all are new; two when some are known.
 * @param now the time to record as the start
 * @returns one entry for each claim in its position; CardinalError `idempotency_key_reused` where the id was used with
 *   another fingerprint. An id given twice is claimed by its first entry and `pending` for the others.
 */
export async function claimCommands(
  tx: AnyTransaction,
  claims: CommandClaim[],
  now: Date,
): Promise<(Claim | CardinalError)[]> {
  const claimed = new Map<string, CommandRow>();
  const known = new Map<string, CommandRow>();
  let open = distinct(claims);

  for (let round = 0; open.length > 0; round += 1) {
    if (round === maxRounds) throw unavailable('A command is being released again and again');
    for (const row of await insertNew(tx, open, now)) claimed.set(keyOf(row.workspace_id, row.id), row);
    open = open.filter((claim) => !claimed.has(keyOf(claim.workspaceId, claim.id)));
    if (open.length === 0) break;
    // A new statement, hence a new snapshot: it sees the row for which the insert waited. A row that was released
    // meanwhile is not there, and is claimed in the next round.
    for (const row of await readCommands(tx, open)) known.set(keyOf(row.workspace_id, row.id), row);
    open = open.filter((claim) => !known.has(keyOf(claim.workspaceId, claim.id)));
  }

  const given = new Set<string>();
  return claims.map((claim) => {
    const key = keyOf(claim.workspaceId, claim.id);
    const row = (known.get(key) ?? claimed.get(key)) as CommandRow;
    if (known.has(key) || given.has(key)) return knownCommand(row, claim.fingerprint);
    given.add(key);
    return { state: 'claimed' };
  });
}

/** Each command once, in the one order that keeps two claiming transactions from waiting for each other. */
function distinct(claims: CommandClaim[]): CommandClaim[] {
  const byKey = new Map<string, CommandClaim>();
  for (const claim of claims) {
    const key = keyOf(claim.workspaceId, claim.id);
    if (!byKey.has(key)) byKey.set(key, claim);
  }
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, claim]) => claim);
}

async function insertNew(tx: AnyTransaction, claims: CommandClaim[], now: Date): Promise<CommandRow[]> {
  const { rows } = await sql<CommandRow>`
    insert into commands (workspace_id, id, fingerprint, created_at)
    select workspace_id, id, fingerprint, ${now}::timestamptz
    from unnest(
      ${claims.map((claim) => claim.workspaceId)}::uuid[],
      ${claims.map((claim) => claim.id)}::uuid[],
      ${claims.map((claim) => claim.fingerprint)}::text[]
    ) as new (workspace_id, id, fingerprint)
    on conflict do nothing
    returning workspace_id, id, fingerprint, null as response, false as ended`.execute(tx);
  return rows;
}

/** The rows of those commands that exist, in any order. */
async function readCommands(db: Reader, keys: CommandKey[]): Promise<CommandRow[]> {
  const { rows } = await sql<CommandRow>`
    select workspace_id, id, fingerprint, response, ended_at is not null as ended
    from commands
    join unnest(${keys.map((key) => key.workspaceId)}::uuid[], ${keys.map((key) => key.id)}::uuid[])
      as requested (workspace_id, id) using (workspace_id, id)`.execute(db);
  return rows;
}

/**
 * Looks a command up without claiming it; undefined when it is new.
 * @throws CardinalError `idempotency_key_reused` when the id was used with another fingerprint
 */
export async function findCommand(
  db: Reader,
  workspaceId: string,
  command: Command,
): Promise<KnownCommand | undefined> {
  const [row] = await readCommands(db, [{ workspaceId, id: command.id }]);
  if (!row) return undefined;
  const known = knownCommand(row, command.fingerprint);
  if (known instanceof CardinalError) throw known;
  return known;
}

/** A command that succeeded, and the JSON to answer whenever it is sent again. */
export interface EndedCommand extends CommandKey {
  response: unknown;
}

/** Stores the responses of claimed commands. One that ended already keeps the response it has. */
export async function endCommands(tx: AnyTransaction, ended: EndedCommand[], now: Date): Promise<void> {
  if (ended.length === 0) return;
  await sql`
    update commands
    set response = new.response::jsonb, ended_at = ${now}::timestamptz
    from unnest(
      ${ended.map((command) => command.workspaceId)}::uuid[],
      ${ended.map((command) => command.id)}::uuid[],
      ${ended.map((command) => JSON.stringify(command.response ?? null))}::text[]
    ) as new (workspace_id, id, response)
    where commands.workspace_id = new.workspace_id and commands.id = new.id and commands.ended_at is null`.execute(tx);
}

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

/** Deletes commands that began and ended before `olderThan`; returns how many. One under way is never forgotten. */
export function purgeCommands<Tables>(db: Database<Tables>, olderThan: Date): Promise<number> {
  return purge(db, 'commands', sql`created_at < ${olderThan} and ended_at < ${olderThan}`);
}
