import type { Exchange, History, HistoryCheck } from './history.ts';

/** More rounds add little, and a check of a long history takes time. */
const maxLooks = 2_000;

const parts = (exchanges: readonly Exchange[], count: number): Exchange[][] => {
  const size = Math.ceil(exchanges.length / count);
  return Array.from({ length: count }, (_, at) => exchanges.slice(at * size, (at + 1) * size));
};

/**
 * Finds a short history that still shows the violation, by delta debugging (Zeller's ddmin). A right answer may look wrong
 * in a part of its history: a card is not found, because its deletion was left out. So the message must stay the same as
 * that of the whole history.
 * @returns the history, with the faults of its time; unchanged if nothing is broken
 */
export const shrink = (history: History, check: HistoryCheck): History => {
  const judge = (exchanges: Exchange[], faults = history.faults) =>
    check.check({ ...history, exchanges, faults }).violations;
  const [violation] = judge(history.exchanges);
  if (!violation) return history;
  let looks = 0;
  const isStillBroken = (exchanges: Exchange[], faults = history.faults) => {
    looks += 1;
    return judge(exchanges, faults).some(({ message }) => message === violation.message);
  };

  // The exchanges that the check names are nearly always enough.
  const named = new Set(violation.exchanges);
  const shown = history.exchanges.filter(({ id }) => named.has(id));
  let kept = shown.length > 0 && isStillBroken(shown) ? shown : history.exchanges;
  for (let count = 2; kept.length > 1 && looks < maxLooks; ) {
    const split = parts(kept, count);
    const half = split.find((part) => part.length < kept.length && isStillBroken(part));
    const rest = half
      ? undefined
      : split.map((_, at) => split.toSpliced(at, 1).flat()).find((one) => isStillBroken(one));
    if (half) [kept, count] = [half, 2];
    else if (rest) [kept, count] = [rest, Math.max(count - 1, 2)];
    else if (count < kept.length) count = Math.min(count * 2, kept.length);
    else break;
  }
  const from = Math.min(...kept.map(({ start }) => start));
  const to = Math.max(...kept.map(({ end }) => end));
  const near = history.faults.filter(({ start, end }) => start <= to && end >= from);
  return { ...history, exchanges: kept, faults: isStillBroken(kept, near) ? near : history.faults };
};
