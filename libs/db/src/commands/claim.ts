import { type CardinalError, unavailable } from '@cardinal/contracts';
import { sql } from 'kysely';
import type { AnyTransaction } from '../handles.ts';
import { type CommandClaim, type CommandRow, judge, type KnownCommand, keyOf } from './command.ts';
import { readCommands } from './find.ts';

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
    if (known.has(key) || given.has(key)) return judge(row, claim.fingerprint);
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
