/** Cards of one workstream. */
export interface Count {
  created: number;
  /** Made by an earlier run (`Idempotent-Replayed`). */
  alreadyThere: number;
}

/** Counts cards as they are answered, in all and by the prefix that each got. */
export interface Tally {
  all: Count;
  byPrefix: Map<string, Count>;
}

const nothing = (): Count => ({ created: 0, alreadyThere: 0 });

export const newTally = (): Tally => ({ all: nothing(), byPrefix: new Map() });

export const countCard = (tally: Tally, prefix: string, replayed: boolean): void => {
  const count = tally.byPrefix.get(prefix) ?? nothing();
  tally.byPrefix.set(prefix, count);
  for (const each of [tally.all, count]) each[replayed ? 'alreadyThere' : 'created'] += 1;
};
