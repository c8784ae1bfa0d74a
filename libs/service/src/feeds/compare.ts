import type { Bus } from '@cardinal/bus';
import { findExisting } from '@cardinal/contracts';

/** What an owner has. */
interface Owned<State> {
  states: readonly State[];
  /** The last key that it answered for, where there are more of those that it was asked for. */
  next?: string | null;
}

/** Rows of a projection, and the owner's states of the same things. */
interface Comparison<Row, State, More> {
  /** Rows of a page. */
  atOnce: number;
  /** The key of a row, and of the owner's state of the same thing; pages are in its order. */
  keyOf: (one: Row | State) => string;
  /** Reads the first rows after a key, `atOnce` at most. */
  rowsAfter: (workspaceId: string, after: string | null) => Promise<readonly Row[]>;
  /** Asks the owner for what it has of these rows, or between two keys. */
  ask: (
    range: { workspace_id: string; after: string | null; through: string | null },
    rows: readonly Row[],
  ) => Promise<Owned<State> & More>;
  /** Mends rows that differ, each given with the owner's state, and takes what the owner has besides. */
  mend: (
    workspaceId: string,
    rows: readonly (readonly [Row, State | undefined])[],
    owned: Owned<State> & More,
  ) => Promise<unknown>;
}

/** The `rebuildPage` of a projection whose rows have the keys that its owner has. */
export const comparePages =
  <Row, State, More = unknown>({ atOnce, keyOf, rowsAfter, ask, mend }: Comparison<Row, State, More>) =>
  async (workspaceId: string, after: string | null): Promise<string | null> => {
    // Read before the owner's, which are as new as these, or those of a database that became an earlier one.
    const rows = await rowsAfter(workspaceId, after);
    const last = rows.length < atOnce ? undefined : rows.at(-1);
    const through = last ? keyOf(last) : null;
    const owned = await ask({ workspace_id: workspaceId, after, through }, rows);
    const end = owned.next ?? through;
    const states = new Map(owned.states.map((state) => [keyOf(state), state]));
    const compared = rows.filter((row) => end === null || keyOf(row) <= end);
    const pairs = compared.map((row) => [row, states.get(keyOf(row))] as const);
    await mend(workspaceId, pairs, owned);
    return end;
  };

/** Asks the card service which of the cards and subtasks exist: `ask` of a projection of those that were deleted. */
export const existingOf = async (bus: Pick<Bus, 'call'>, workspace_id: string, rows: readonly { id: string }[]) => {
  const ids = rows.map(({ id }) => id);
  const existing = ids.length > 0 ? (await bus.call(findExisting, { workspace_id, ids })).existing : [];
  return { states: existing.map((id) => ({ id })) };
};
