import type { DatabaseOwner } from '@cardinal/contracts';
import { sql } from 'kysely';
import { compare, type Mismatch, maxDifferences, type Side } from '../compare.ts';
import type { Check } from '../examine.ts';
import type { Sources, Tx } from '../sources.ts';

/** Each row of `query` is a difference, described by its column `what`. `{schema}` is replaced by the schema of each service. */
export const queryCheck = (name: string, services: readonly DatabaseOwner[], query: string): Check => ({
  name,
  look: async (sources) => {
    const found = services.map(async (service) => {
      const text = sql.raw(query.replaceAll('{schema}', service));
      const limited = sql<{ what: string }>`select what from (${text}) as found limit ${maxDifferences}`;
      return (await sources.read(service, limited)).map(({ what }) => ({ what: `${service}: ${what}` }));
    });
    return (await Promise.all(found)).flat();
  },
});

/**
 * A query of a table's rows, keyed by workspace and id.
 * @param value SQL of a jsonb to compare; by default only the existence of the row
 * @param id the column that follows the workspace in the key
 * @param rest SQL that restricts the rows, or groups them
 */
export const rows = (table: string, value = `'true'::jsonb`, id = 'id', rest = ''): Side => ({
  service: table.split('.', 1)[0] as DatabaseOwner,
  query: `select workspace_id || '/' || ${id} as key, ${value} as value from ${table} ${rest}`,
});

/**
 * Every row of `copy` is in `owner`, with the same value. Rows of the owner alone are no differences,
 * unless `ignores` says otherwise.
 * @param repair repairs a difference, if possible
 */
export const referenceCheck = (
  name: string,
  thing: string,
  owner: Side,
  copy: Side,
  repair?: (sources: Sources, mismatch: Mismatch) => Promise<void>,
  ignores: (mismatch: Mismatch) => boolean = (one) => one.copy === undefined,
): Check => ({
  name,
  look: async (sources, only) =>
    (await compare(sources, { owner, copy, only, ignores })).map((one) => ({
      key: one.key,
      what:
        `${thing} ${one.key}: ${owner.service} says ${one.owner ?? 'nothing'}, ` +
        `${copy.service} ${one.copy ?? 'nothing'}`,
      ...(repair ? { repair: () => repair(sources, one) } : {}),
    })),
});

/** `copy` and `owner` have the same rows; `repair` corrects one row, which may have changed since. */
export const projectionCheck = (
  name: string,
  thing: string,
  owner: Side,
  copy: Side,
  repair: (tx: Tx, mismatch: Mismatch) => Promise<unknown>,
  ignores: (mismatch: Mismatch) => boolean = () => false,
): Check => {
  const repairIn = (sources: Sources, one: Mismatch) =>
    sources.of(copy.service).transaction(async (tx) => void (await repair(tx, one)));
  return referenceCheck(name, thing, owner, copy, repairIn, ignores);
};
