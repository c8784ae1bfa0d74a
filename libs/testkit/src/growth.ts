/** Linear time grows as the text does, quadratic time with its square; what lies between belongs to caches and noise. */
const shortLength = 120;
const longer = 64;
const most = 512;
/** Below this a text is harmless: 59 million steps, a square of the long text's 7,680 characters, take longer, ms. */
const harmless = 0.5;
/** Far above what the clock resolves, and far below a time slice of a busy machine, ms. */
const measurable = 0.2;
/** A measurement that was disturbed can only be too slow: the best of some is the one that was not. */
const measurements = 3;

/** What hostile texts are made of: the characters and tokens of the grammars that clients write, over and over. */
const units = ' |\t|,|"|"1", |W/"1"|-|0|1|a|A-|=|.|:|%|/|[|{"|😀|\ud800'.split('|');

/** How seldom the clock of a thread's CPU time ticks, ms, with room to spare. */
const tick = 4;

/** CPU time of this thread, milliseconds. */
const cpuTime = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** Milliseconds. Above a tick, CPU time: wall time would include other processes on a busy machine. */
const timeOf = (work: () => void): number => {
  const [wall, cpu] = [performance.now(), cpuTime()];
  work();
  return Math.min(performance.now() - wall, cpuTime() - cpu + tick);
};

type Parse = (text: string) => unknown;

/** Runs a parser some times. A refusal is a result like any other. */
const run = (parse: Parse, text: string, times: number): void => {
  for (let time = 0; time < times; time += 1) {
    try {
      parse(text);
    } catch {}
  }
};

/** What one run costs at best, from as many at once as can be measured. */
const costOf = (parse: Parse, text: string): number => {
  let times = 1;
  while (timeOf(() => run(parse, text, times)) < measurable) times *= 4;
  return Math.min(...Array.from({ length: measurements }, () => timeOf(() => run(parse, text, times)) / times));
};

const growsTooFast = (parse: Parse, short: string, long: string): boolean => {
  for (let round = 0; round < measurements; round += 1) {
    if (timeOf(() => run(parse, long, 1)) < harmless) return false;
    if (costOf(parse, long) / costOf(parse, short) <= most) return false;
  }
  return true;
};

/**
 * Holds a parser of clients' text to time that grows linearly with the length of any text. Compares the time for texts
 * of 120 and of 7,680 characters; a bound on their length must be left out of `parse`.
 * @param starts what the parser must have seen before it comes to its loops
 * @returns the texts that take it too long, none where it is linear
 */
export const slowTexts = (parse: Parse, starts: readonly string[] = ['']): string[] =>
  starts.flatMap((start) =>
    units
      .filter((unit) => {
        // It ends with characters of no grammar, so that expressions try all alternatives.
        const text = (length: number) => `${start}${unit.repeat(length / unit.length)}\x01`;
        return growsTooFast(parse, text(shortLength), text(shortLength * longer));
      })
      .map((unit) => `${start}${unit}…`),
  );
