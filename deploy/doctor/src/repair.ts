import type { DatabaseOwner } from '@cardinal/contracts';
import { type RawBuilder, sql } from 'kysely';
import { maxDifferences } from './compare.ts';
import { examine, type Finding } from './examine.ts';
import { reasonOf, type Sources } from './sources.ts';

/**
 * Repairs what can be repaired; a failure does not stop the others.
 * @returns how many differences were tried, and those that could not be repaired, with the reason
 */
export const repairFindings = async (findings: readonly Finding[]) => {
  const outcome = { tried: 0, failures: [] as string[] };
  for (const { what, repair } of findings.flatMap(({ differences }) => differences)) {
    if (!repair) continue;
    outcome.tried += 1;
    try {
      await repair();
    } catch (error) {
      // A foreign key of the copy forbids it: another row refers to what the owner does not know.
      const isReferenced = (error as { code?: string }).code === '23503';
      if (!isReferenced) outcome.failures.push(`${what}: ${reasonOf(error)}`);
    }
  }
  return outcome;
};

const first = ({ differences }: Finding) => differences[0]?.what;
const isFull = ({ differences }: Finding) => differences.length >= maxDifferences;

/**
 * Repairs what was found, and then what the bound of a look left out, look by look, while that helps.
 * @param progress receives how many were tried so far, before each further look
 */
export const repairAll = async (findings: readonly Finding[], sources: Sources, progress: (tried: number) => void) => {
  const outcome = await repairFindings(findings);
  let full = findings.filter(isFull);
  while (full.length > 0) {
    progress(outcome.tried);
    const before = new Map(full.map((finding) => [finding.check, first(finding)]));
    const found = await examine([...before.keys()], sources, 0);
    const helped = found.filter((finding) => first(finding) !== before.get(finding.check));
    const { tried, failures } = await repairFindings(helped);
    outcome.tried += tried;
    outcome.failures.push(...failures);
    full = helped.filter(isFull);
  }
  return outcome;
};

/**
 * How long the stream may take an event that is published again for a copy, and drop it, in milliseconds: twice as long
 * as it remembers ids.
 */
export const deduplicationMs = 4 * 60_000;

/**
 * Has events published again that an outbox still holds, once the stream would not drop them as copies: the relay leaves
 * them alone until then. Consumers that have dealt with one pass over it.
 */
export const republish = (sources: Sources, service: DatabaseOwner, which: RawBuilder<unknown>): Promise<void> => {
  const outbox = sql.table(`${service}.outbox`);
  return sources.write(
    service,
    sql`update ${outbox} set published_at = null, leased_until = published_at + ${deduplicationMs} * interval '1 millisecond'
      where published_at is not null and ${which}`,
  );
};

/**
 * Publishes deletions of cards or subtasks again, for a service that still refers to them: it missed the event while the
 * stream was full, or dealt with it before its database fell back.
 */
export const republishDeletions = (sources: Sources, ids: readonly string[]): Promise<void> =>
  republish(
    sources,
    'card',
    sql`subject in ('evt.card.deleted', 'evt.card.subtask-deleted') and event ->> 'aggregate_id' = any(${ids})`,
  );
