import type { Exchange, History, InjectedFault, Violation } from './history.ts';

/** The result of one check. */
export interface Verdict {
  rule: string;
  looked: number;
  violations: Violation[];
}

const count = (value: number) => value.toLocaleString('en-US');
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

const tally = <Item>(items: Iterable<Item>, nameOf: (item: Item) => string): [string, number][] => {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(nameOf(item), (counts.get(nameOf(item)) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
};

const outcome = ({ answer }: Exchange) => (answer ? String(answer.status) : 'lost');

const listed = (items: [string, number][]) => items.map(([name, number]) => `${name} ${count(number)}`).join(', ');

/** The progress of a run, in one line. */
export const progress = ({ exchanges, faults }: History): string => {
  const recent = exchanges.slice(-1_000);
  return `${count(exchanges.length)} requests, ${count(faults.length)} faults ended; of the last: ${listed(tally(recent, outcome))}`;
};

/** The slowest request, without those whose own gateway was hit. */
const longestOf = ({ exchanges, faults }: History): Exchange | undefined => {
  let longest: Exchange | undefined;
  for (const exchange of exchanges) {
    const took = exchange.end - exchange.start;
    if (longest && took <= longest.end - longest.start) continue;
    const { gateway, start, end } = exchange;
    if (!faults.some((fault) => fault.members.includes(gateway) && fault.start <= end && fault.end >= start))
      longest = exchange;
  }
  return longest;
};

const faultLine = (kind: string, faults: readonly InjectedFault[]) => {
  const lasted = faults.reduce((sum, { start, end }) => sum + end - start, 0);
  return `  ${kind.padEnd(24)} ${String(faults.length).padStart(4)}   ${seconds(lasted)} in all`;
};

/** The figures of a run: requests by operation and outcome, faults by kind, cases by rule. */
export const figures = (history: History, verdicts: readonly Verdict[]): string => {
  const { exchanges, faults, seed } = history;
  const byOperation = [...Map.groupBy(exchanges, ({ operation }) => operation)].sort(([a], [b]) => (a < b ? -1 : 1));
  const byKind = [...Map.groupBy(faults, ({ kind }) => kind)].sort(([a], [b]) => (a < b ? -1 : 1));
  const longest = longestOf(history);
  const width = Math.max(...byOperation.map(([name]) => name.length));
  return [
    `seed ${seed}: ${count(exchanges.length)} requests (${listed(tally(exchanges, outcome))}), ${count(faults.length)} faults`,
    ...byOperation.map(([name, ofOne]) => {
      const total = count(ofOne.length).padStart(9);
      return `  ${name.padEnd(width)} ${total}   ${listed(tally(ofOne, outcome))}`;
    }),
    'faults',
    ...byKind.map(([kind, ofOne]) => faultLine(kind, ofOne)),
    'looked at',
    ...verdicts.map(({ rule, looked, violations }) => {
      // A rule without cases proves nothing.
      const held = looked === 0 ? 'NEVER LOOKED AT' : 'held';
      const verdict = violations.length === 0 ? held : `BROKEN ${count(violations.length)} times`;
      return `  ${count(looked).padStart(9)}  ${rule}: ${verdict}`;
    }),
    ...(longest
      ? [`the longest answer took ${seconds(longest.end - longest.start)}: ${longest.method} ${longest.path}`]
      : []),
  ].join('\n');
};

const short = (value: unknown): string => {
  const text = JSON.stringify(value);
  return text.length > 160 ? `${text.slice(0, 157)}...` : text;
};

const answerLine = ({ answer, lost, start, end }: Exchange): string => {
  const took = `after ${(end - start).toFixed(0)} ms`;
  if (!answer) return `no answer ${took}: ${lost}`;
  const { status, etag, replayed, body } = answer;
  const { whole: _, card, ...rest } = body;
  const shown = card
    ? { ...rest, card: { id: card.id, version: card.version, identifier: card.identifier, title: card.title } }
    : rest;
  const marks = [etag !== undefined && `ETag ${etag}`, replayed && 'replayed'].filter(Boolean).join(', ');
  return `${status} ${took}${marks && ` (${marks})`} ${short(shown)}`;
};

const exchangeLines = (exchange: Exchange, begun: number): string => {
  const { id, client, gateway, method, path, key, ifMatch, body, start } = exchange;
  const headers = [key !== undefined && `key ${key}`, ifMatch !== undefined && `If-Match ${ifMatch}`];
  const at = `+${((start - begun) / 1_000).toFixed(3)} s`;
  const request = [method, path, ...headers.filter(Boolean), body !== undefined && short(body)].filter(Boolean);
  return `  #${id} ${at} client ${client} to ${gateway}: ${request.join(' ')}\n      ${answerLine(exchange)}`;
};

/**
 * Formats a broken rule: the violation, the history that shows it line by line, and the commands that repeat it.
 * @param rule the name of the broken rule
 * @param history the shrunk history
 * @param commands the commands that repeat it
 */
export const failure = (
  rule: string,
  { message }: Violation,
  history: History,
  commands: readonly string[],
): string => {
  const { exchanges, faults, seed } = history;
  const begun = Math.min(...exchanges.map(({ start }) => start), ...faults.map(({ start }) => start));
  return [
    `BROKEN: ${rule}`,
    `  ${message}`,
    `seed ${seed}, ${count(exchanges.length)} requests that show it:`,
    ...exchanges.map((exchange) => exchangeLines(exchange, begun)),
    ...faults.map(({ kind, members, detail, start, end }) => {
      const at = `+${((start - begun) / 1_000).toFixed(3)} s`;
      return `  ${at} ${kind} of ${members.join(', ')} (${detail}) for ${seconds(end - start)}`;
    }),
    'to repeat it:',
    ...commands.map((command) => `  ${command}`),
  ].join('\n');
};
