/** Has work done when all is read that this tick of the event loop brings. */
export type EndOfTick = (work: () => void) => void;

/**
 * Does the works of one tick in one go, so that what they send leaves in one write: a write to the broker costs as much as
 * all else that is done for a small message.
 */
export const endOfTick = (): EndOfTick => {
  let works: (() => void)[] = [];
  const run = () => {
    const due = works;
    works = [];
    for (const work of due) work();
  };
  return (work) => {
    if (works.length === 0) setImmediate(run);
    works.push(work);
  };
};
