import type { Bus } from '@cardinal/bus';
import {
  isUnacknowledged,
  type Lineage,
  lineageKeyOf,
  lineage as lineageSchema,
  unavailable,
  type WitnessedDatabase,
} from '@cardinal/contracts';
import { gauge } from '@cardinal/runtime';
import { emptyLineage } from './verdict.ts';

/** Another process may write the register at the same time. */
const maxTries = 20;

/** Opens the register's key of a database, and remembers its last value in case it is lost. */
export const openLineageRegister = (database: WitnessedDatabase, register: Pick<Bus['register'], 'read' | 'write'>) => {
  const key = lineageKeyOf(database);
  let latest: Lineage = emptyLineage;
  gauge(
    {
      name: 'cardinal_lineage_rollback_timestamp_seconds',
      help: 'When the database was last restored, rolled back or failed over with a loss, Unix time; 0 if never',
    },
    (one) => {
      const last = latest.falls.findLast((rollback) => rollback.database === database);
      one.set(last ? Date.parse(last.at) / 1_000 : 0);
    },
  );
  gauge(
    {
      name: 'cardinal_lineage_unacknowledged',
      help: '1 if numbers skipped a margin, or API keys may be valid again, and no operator has acknowledged it (doctor --acknowledge)',
    },
    (one) => one.set(isUnacknowledged(latest) ? 1 : 0),
  );

  const readWithRevision = async () => {
    const { value: known, revision } = await register.read(key, lineageSchema);
    if (known) latest = known;
    return { known, revision };
  };

  return {
    /** The value that was last read or written; an empty one before that. */
    latest: (): Lineage => latest,
    /** @returns the value; undefined where the register lacks it */
    read: async (): Promise<Lineage | undefined> => (await readWithRevision()).known,
    /**
     * Writes the value by compare and set. Repeats after a write by another process.
     * @param change makes the value from the known one; undefined where that stays, `again` to read it again
     * @throws CardinalError `unavailable` where the register cannot be reached, or others write it all the time
     */
    write: async (change: (known: Lineage | undefined) => Promise<Lineage | 'again' | undefined>): Promise<void> => {
      for (let tries = 0; tries < maxTries; tries += 1) {
        const { known, revision } = await readWithRevision();
        const next = await change(known);
        if (!next) return;
        if (next === 'again') continue;
        if ((await register.write(key, next, revision)) !== undefined) {
          latest = next;
          return;
        }
      }
      throw unavailable('The register changes all the time');
    },
  };
};
