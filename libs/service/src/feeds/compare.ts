import type { Bus } from '@cardinal/bus';
import { findExisting } from '@cardinal/contracts';

/** The owner's answer. */
interface Owned<State> {
  states: readonly State[];
  /** The last key that the answer covers, where the range has more. */
  next?: string | null;
}

/** How pages of a projection are compared with the owner's states. */
interface Comparison<Row, State, More> {
  /** Rows per page. */
  atOnce: number;
  /** The key of a row or of an owner's state. Pages are in the order of keys. */
  keyOf: (one: Row | State) => string;
  /** Reads the first rows after a key, at most `atOnce`. */
  rowsAfter: (workspaceId: string, after: string | null) => Promise<readonly Row[]>;
  /** Asks the owner for its states of these rows, or for those between two keys. */
  ask: (
    range: { workspace_id: string; after: string | null; through: string | null },
    rows: readonly Row[],
  ) => Promise<Owned<State> & More>;
  /** Corrects rows that differ, each with the owner's state, and applies the owner's states that have no row. */
  mend: (
    workspaceId: string,
    rows: readonly (readonly [Row, State | undefined])[],
    owned: Owned<State> & More,
  ) => Promise<unknown>;
}

/** Makes the `rebuildPage` of a projection whose rows have the same keys as the owner's states. */
export const comparePages =
  <Row, State, More = unknown>({ atOnce, keyOf, rowsAfter, ask, mend }: Comparison<Row, State, More>) =>
  async (workspaceId: string, after: string | null): Promise<string | null> => {
    // Read before the owner is asked: its answer must not be older than these rows, unless its database was rolled
    // back.
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

/** Asks the card service which cards and subtasks exist. It is the `ask` of a projection of deleted ones. */
export const existingOf = async (bus: Pick<Bus, 'call'>, workspace_id: string, rows: readonly { id: string }[]) => {
  const ids = rows.map(({ id }) => id);
  const existing = ids.length > 0 ? (await bus.call(findExisting, { workspace_id, ids })).existing : [];
  return { states: existing.map((id) => ({ id })) };
};
