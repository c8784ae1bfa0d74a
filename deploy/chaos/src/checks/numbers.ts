import { fallsOf, isInFall } from '../falls.ts';
import type { Exchange, History, HistoryCheck, Violation } from '../history.ts';
import { byStart, cardsIn, idsOf, isAcknowledged, isRefused, Latest, viewOf, type Write } from '../view.ts';

/** A number that an acknowledged write gave to a card. */
interface Issue {
  write: Write;
  exchange: Exchange;
  /** Workspace and id of the workstream. */
  series: string;
  workstream: string;
  prefix: string;
  number: number;
  start: number;
  end: number;
}

const partsOf = (identifier: string) => {
  const at = identifier.lastIndexOf('-');
  return { prefix: identifier.slice(0, at), number: Number(identifier.slice(at + 1)) };
};

/** A transfer to the card's own workstream issues nothing, as its version shows. */
const versionsOf = ({ operation, body }: Write) => (operation === 'patchCard' && 'workstream_id' in body ? 2 : 1);

const issues = (history: History): Issue[] =>
  viewOf(history)
    .writesOf('createCard', 'transferCard', 'patchCard')
    .flatMap((write): Issue[] => {
      const { acknowledged: exchange, workspace, start, end, ifMatch, operation, body } = write;
      const card = exchange?.answer?.body.card;
      if (!exchange || !card) return [];
      if (operation === 'patchCard' && !('workstream_id' in body)) return [];
      if (operation !== 'createCard' && card.version !== (ifMatch ?? 0) + versionsOf(write)) return [];
      const { workstream } = card;
      const series = `${workspace}/${workstream}`;
      return [{ write, exchange, series, workstream, ...partsOf(card.identifier), start, end }];
    });

/** Of two writes that give numbers of one workstream, the one that was answered before the other began has the smaller one. */
export const inRealTime: HistoryCheck = {
  rule: 'the order of numbers respects real time',
  check(history) {
    const all = issues(history);
    const violations: Violation[] = [];
    for (const ofSeries of Map.groupBy(all, ({ series }) => series).values()) {
      const ended = new Latest(ofSeries, ({ number }) => number);
      for (const one of byStart(ofSeries)) {
        const before = ended.before(one.start);
        if (!before || before.number < one.number) continue;
        const message = `${one.prefix}-${one.number} was asked for after ${before.prefix}-${before.number} had been given out`;
        violations.push({ rule: this.rule, message, exchanges: idsOf(before.exchange, one.exchange) });
      }
    }
    return { looked: all.length, violations };
  },
};

/** After the answer to an archive no write that began later gets a number there. */
export const noneAfterArchive: HistoryCheck = {
  rule: 'no number after the answer to an archive',
  check(history) {
    const archives = new Map(
      viewOf(history)
        .writesOf('archiveWorkstream')
        .flatMap((write) => (write.acknowledged ? [[write.target, write] as const] : [])),
    );
    const violations: Violation[] = [];
    let looked = 0;
    for (const issue of issues(history)) {
      const archive = archives.get(issue.workstream);
      if (!archive) continue;
      looked += 1;
      if (issue.start < archive.end) continue;
      const message = `${issue.prefix}-${issue.number} was asked for after the archive of its workstream had been answered`;
      violations.push({ rule: this.rule, message, exchanges: idsOf(archive.acknowledged, issue.exchange) });
    }
    return { looked, violations };
  },
};

/** Whether a write whose outcome is unknown may have taken a number. */
const mayHaveIssued = ({ operation, possible, acknowledged, body }: Write) =>
  possible && !acknowledged && (operation !== 'patchCard' || 'workstream_id' in body);

/** The most that one grant has (services/identifier). */
const maxGranted = 1_000;

/** How many numbers are missing below the highest, but for the rest of one grant for each fall of the databases. */
const missingOf = (numbers: ReadonlyMap<number, unknown>, falls: number): number => {
  const known = [0, ...[...numbers.keys()].sort((one, other) => one - other)];
  const gaps = known.map((number, at) => (known[at + 1] ?? number + 1) - number - 1).sort((one, other) => other - one);
  return gaps.reduce((missing, gap, at) => missing + (at < falls ? Math.max(gap - maxGranted, 0) : gap), 0);
};

/**
 * Numbers are 1, 2, 3, … without a gap: what was never seen must have been given to a write whose outcome is unknown.
 * Which of the workstreams such a write went to is not always known either, so all of its workspace share them. After a
 * fall of the databases numbers may skip by a grant; and what got a number that was lost may have another one since.
 */
export const dense: HistoryCheck = {
  rule: 'the numbers of a workstream have no gap',
  check(history) {
    const seen = new Map<string, { workspace: string; prefix: string; numbers: Map<number, Exchange> }>();
    const note = (exchange: Exchange, identifier: string) => {
      const { prefix, number } = partsOf(identifier);
      const name = `${exchange.workspace}/${prefix}`;
      const series = seen.get(name) ?? { workspace: exchange.workspace, prefix, numbers: new Map<number, Exchange>() };
      seen.set(name, series);
      if (!series.numbers.has(number)) series.numbers.set(number, exchange);
    };
    for (const exchange of history.exchanges) {
      for (const { identifier } of cardsIn(exchange)) note(exchange, identifier);
      for (const { identifier } of exchange.answer?.body.identifiers ?? []) note(exchange, identifier);
    }
    const falls = fallsOf(history);
    const issuedBeforeFall = ({ exchanges }: Write) =>
      exchanges.some((one) => !isAcknowledged(one) && !isRefused(one) && isInFall(one, falls));
    const open = Map.groupBy(
      viewOf(history)
        .writesOf('createCard', 'transferCard', 'patchCard')
        .filter((write) => mayHaveIssued(write) || issuedBeforeFall(write)),
      ({ workspace }) => workspace,
    );
    const violations: Violation[] = [];
    let looked = 0;
    for (const [workspace, ofWorkspace] of Map.groupBy(seen.values(), (series) => series.workspace)) {
      let missing = 0;
      const gaps: string[] = [];
      const shown: (Exchange | undefined)[] = [];
      for (const { prefix, numbers } of ofWorkspace) {
        looked += numbers.size;
        const highest = Math.max(...numbers.keys());
        const lacking = missingOf(numbers, falls.length);
        if (lacking === 0) continue;
        missing += lacking;
        const gap = Array.from({ length: highest }, (_, at) => at + 1).find((number) => !numbers.has(number));
        gaps.push(`${prefix}-${gap}`);
        shown.push(numbers.get(highest));
      }
      const unknown = open.get(workspace)?.length ?? 0;
      if (missing <= unknown) continue;
      const message = `workspace ${workspace}: nobody ever saw ${missing} numbers, such as ${gaps.slice(0, 5).join(', ')}, and ${unknown} writes are open`;
      violations.push({ rule: this.rule, message, exchanges: idsOf(...shown) });
    }
    return { looked, violations };
  },
};
