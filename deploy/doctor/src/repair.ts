import { setTimeout as pause } from 'node:timers/promises';
import { type DatabaseOwner, type FeedOwner, projectedBy } from '@cardinal/contracts';
import { sql } from 'kysely';
import { type Mismatch, maxDifferences } from './compare.ts';
import { examine, type Finding } from './examine.ts';
import { reasonOf, type Sources } from './sources.ts';

/** The services with projections of others' data. */
const followers = [...new Set(Object.values(projectedBy).flat())];

/**
 * Repairs all differences that have a repair; a failure does not stop the others.
 * @returns how many repairs were tried, and the failed ones with their reasons
 */
export const repairFindings = async (findings: readonly Finding[]) => {
  const outcome = { tried: 0, failures: [] as string[] };
  for (const { what, repair } of findings.flatMap(({ differences }) => differences)) {
    if (!repair) continue;
    outcome.tried += 1;
    try {
      await repair();
    } catch (error) {
      // A foreign key of the copy forbids it: another row refers to a row that the owner does not have.
      const isReferenced = (error as { code?: string }).code === '23503';
      if (!isReferenced) outcome.failures.push(`${what}: ${reasonOf(error)}`);
    }
  }
  return outcome;
};

const first = ({ differences }: Finding) => differences[0]?.what;
const isFull = ({ differences }: Finding) => differences.length >= maxDifferences;

/**
 * Repairs the findings, then further ones beyond the bound of a look, look by look, while there is progress.
 * @param progress receives the number of repairs tried so far, before each further look
 * @returns also how many projections are still to be rebuilt, as their services do not run
 */
export const repairAll = async (findings: readonly Finding[], sources: Sources, progress: (tried: number) => void) => {
  const outcome = { ...(await repairFindings(findings)), left: 0 };
  if (outcome.tried > 0) outcome.left = await waitForRebuilds(sources);
  let full = findings.filter(isFull);
  while (full.length > 0) {
    progress(outcome.tried);
    const before = new Map(full.map((finding) => [finding.check, first(finding)]));
    const found = await examine([...before.keys()], sources, 0);
    const helped = found.filter((finding) => first(finding) !== before.get(finding.check));
    const { tried, failures } = await repairFindings(helped);
    outcome.tried += tried;
    outcome.failures.push(...failures);
    if (outcome.left === 0) outcome.left = await waitForRebuilds(sources);
    full = helped.filter(isFull);
  }
  return outcome;
};

/**
 * Makes a service rebuild its projection of a workspace from the owner, as after a rollback of the owner's feed. The
 * service begins within a second, or at its next start.
 */
export const rebuildProjection =
  (follower: DatabaseOwner, owner: FeedOwner) =>
  async (sources: Sources, { key }: Pick<Mismatch, 'key'>): Promise<void> => {
    await sources.write(
      follower,
      sql`
        insert into ${sql.table(`${follower}.followed_feeds`)} (owner, workspace_id, seq)
        values (${owner}, ${key.split('/', 1)[0]}, -1)
        on conflict (owner, workspace_id) do update set seq = excluded.seq, id = null`,
    );
  };

/** Pause between two checks of the rebuilds, and how long to wait without progress, in milliseconds. */
const [lookMs, patienceMs] = [500, 20_000];

/** Waits for the rebuilds of projections while they make progress. @returns how many are left */
const waitForRebuilds = async (sources: Sources): Promise<number> => {
  const count = async () => {
    const counts = followers.map((follower) =>
      sources.read(
        follower,
        sql<{ count: number }>`select count(*)::int from ${sql.table(`${follower}.followed_feeds`)} where seq < 0`,
      ),
    );
    return (await Promise.all(counts)).reduce((sum, [row]) => sum + (row?.count ?? 0), 0);
  };
  let [left, since] = [await count(), Date.now()];
  while (left > 0 && Date.now() - since < patienceMs) {
    await pause(lookMs);
    const now = await count();
    if (now < left) since = Date.now();
    left = now;
  }
  return left;
};
