import { sql } from 'kysely';
import type { DatabaseOwner } from '../../services/provision.ts';
import type { Check, Difference } from '../check.ts';
import { compare, mostDifferences, type Side, type Unequal } from '../compare.ts';
import { tellDeletionsAgain } from '../publish-again.ts';
import type { Sources, Tx } from '../sources.ts';

/** Rows of `query` are differences; their column `what` names them. */
export const noRows = (name: string, service: DatabaseOwner, query: string): Check => ({
  name,
  look: (sources) => rowsOf(sources, service, query),
});

/** The same query for every service that has the table; `{schema}` stands for its schema. */
export const noRowsAnywhere = (name: string, table: string, query: string): Check => ({
  name,
  look: async (sources) => {
    const services = await sources.having(table);
    const found = await Promise.all(
      services.map((service) => rowsOf(sources, service, query.replaceAll('{schema}', service))),
    );
    return found.flat();
  },
});

const rowsOf = async (sources: Sources, service: DatabaseOwner, query: string): Promise<Difference[]> => {
  const limited = sql<{ what: string }>`select what from (${sql.raw(query)}) as found limit ${mostDifferences}`;
  const { rows } = await sources.of(service).read((tx) => limited.execute(tx));
  return rows.map(({ what }) => ({ what: `${service}: ${what}` }));
};

/**
 * Everything that `copy` names is known to `owner`, with the same value. What only the owner knows is no difference,
 * unless `ignores` says otherwise.
 * @param mend where there may be a way
 */
export const known = (
  name: string,
  thing: string,
  owner: Side,
  copy: Side,
  mend?: (sources: Sources, unequal: Unequal) => Promise<void>,
  ignores: (unequal: Unequal) => boolean = (one) => one.copy === undefined,
): Check => ({
  name,
  look: async (sources, only) =>
    (await compare(sources, { owner, copy, only, ignores })).map((one) => ({
      key: one.key,
      what: tell(thing, owner, copy, one),
      ...(mend ? { mend: () => mend(sources, one) } : {}),
    })),
});

/** For keys of workspace and id: has the deletion of what is gone told again. */
export const mendDeletion = (sources: Sources, { key }: Unequal): Promise<void> =>
  tellDeletionsAgain(sources, [key.slice(key.indexOf('/') + 1)]);

/** `copy` says what `owner` says, row by row; `mend` makes it so for one row, which may have changed since. */
export const same = (
  name: string,
  thing: string,
  owner: Side,
  copy: Side,
  mend: (tx: Tx, unequal: Unequal) => Promise<unknown>,
  ignores: (unequal: Unequal) => boolean = () => false,
): Check => ({
  name,
  look: async (sources, only) =>
    (await compare(sources, { owner, copy, only, ignores })).map((one) => ({
      key: one.key,
      what: tell(thing, owner, copy, one),
      mend: async () => {
        await sources.of(copy.service).transaction((tx) => mend(tx, one));
      },
    })),
});

const tell = (thing: string, owner: Side, copy: Side, { key, owner: said, copy: copied }: Unequal): string =>
  `${thing} ${key}: ${owner.service} says ${said ?? 'nothing'}, ${copy.service} ${copied ?? 'nothing'}`;
