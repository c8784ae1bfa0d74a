import { checkOf, type Exchange, type History } from '../history.ts';
import { isDuringRollback, registerLossesOf, rollbacksOf } from '../rollbacks.ts';
import { byStart, cardsIn, isAcknowledged, isRefused, Latest, viewOf, type Write } from '../view.ts';

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

/** If a write was answered before another write of the same workstream began, it has the lower number. */
export const inRealTime = checkOf('the order of numbers respects real time', (history, report) => {
  const all = issues(history);
  for (const ofSeries of Map.groupBy(all, ({ series }) => series).values()) {
    const ended = new Latest(ofSeries, ({ number }) => number);
    for (const one of byStart(ofSeries)) {
      const before = ended.before(one.start);
      if (!before || before.number < one.number) continue;
      const message = `${one.prefix}-${one.number} was requested after ${before.prefix}-${before.number} had been issued`;
      report(message, before.exchange, one.exchange);
    }
  }
  return all.length;
});

/** A write that begins after the answer to an archive gets no number there. */
export const noneAfterArchive = checkOf('no number is issued after an acknowledged archive', (history, report) => {
  const acknowledged = viewOf(history)
    .writesOf('archiveWorkstream')
    .filter((write) => write.acknowledged);
  const archives = new Map(acknowledged.map((write) => [write.target, write]));
  const archived = issues(history).filter(({ workstream }) => archives.has(workstream));
  for (const { prefix, number, workstream, start, exchange } of archived) {
    const archive = archives.get(workstream);
    if (!archive || start < archive.end) continue;
    const message = `${prefix}-${number} was requested after the archive of its workstream had been acknowledged`;
    report(message, archive.acknowledged, exchange);
  }
  return archived.length;
});

/** An adoption that begins after the answer to an opening or an archive adopts no card. */
export const noneAdoptedAfter = checkOf('no adoption follows an acknowledged opening or archive', (history, report) => {
  const over = viewOf(history)
    .writesOf('openWorkstream', 'archiveWorkstream')
    .filter((write) => write.acknowledged);
  const ends = Map.groupBy(over, ({ target }) => target);
  const adoptions = viewOf(history).writesOf('adoptCards');
  for (const { acknowledged, target, start } of adoptions) {
    const came = acknowledged?.answer?.body.cards ?? [];
    const end = ends.get(target)?.find((one) => one.end < start);
    if (!end || came.length === 0) continue;
    report(
      `${came[0]?.identifier} was adopted after ${end.operation} had been acknowledged`,
      end.acknowledged,
      acknowledged,
    );
  }
  return adoptions.length;
});

/** The highest number that may have been adopted, by workspace and prefix. Adopted numbers may have gaps. */
const adoptedThrough = (history: History): Map<string, number> => {
  const through = new Map<string, number>();
  for (const { workspace, exchanges } of viewOf(history).writesOf('adoptCards')) {
    const asked = exchanges.flatMap(({ answer }) => [
      ...(answer?.body.cards ?? []).map(({ identifier }) => identifier),
      ...(answer?.body.taken ?? []).map(({ identifier }) => identifier),
    ]);
    const { cards = [], prefix } = adoptedOf(exchanges[0]);
    const wanted = cards.flatMap(({ number, former = [] }) => [`${prefix}-${number}`, ...former]);
    for (const identifier of [...asked, ...wanted]) {
      const parts = partsOf(identifier);
      const name = `${workspace}/${parts.prefix}`;
      through.set(name, Math.max(through.get(name) ?? 0, parts.number));
    }
  }
  return through;
};

/** The prefix comes from the titles of the request, as the answer may be lost. */
const adoptedOf = (exchange: Exchange | undefined) => {
  const { cards = [] } = (exchange?.body ?? {}) as { cards?: { number: number; title: string; former?: string[] }[] };
  return { cards, prefix: cards[0]?.title.split('-')[0] };
};

/** Whether a write with an unknown outcome may have taken a number. */
const mayHaveIssued = ({ operation, possible, acknowledged, body }: Write) =>
  possible && !acknowledged && (operation !== 'patchCard' || 'workstream_id' in body);

/** The most numbers of one grant (services/identifier). */
const maxGranted = 1_000;

/** The least margin, and how many times the numbers of a day a margin is (ADR 0071). */
const [leastMargin, times] = [1_000, 10];

/**
 * Counts the numbers that are missing below the highest, except the rest of one grant for each rollback of the databases, and
 * a margin for each loss of the register.
 * @param adopted numbers up to this one are not judged
 */
const missingOf = (
  numbers: ReadonlyMap<number, unknown>,
  { rollbacks, losses }: { rollbacks: number; losses: number },
  adopted: number,
): number => {
  const issued = [...numbers.keys()].filter((number) => number > adopted).sort((one, other) => one - other);
  // After adoptions, the first number is unknown if answers were lost.
  const known = adopted > 0 ? issued : [0, ...issued];
  const gaps = known.map((number, at) => (known[at + 1] ?? number + 1) - number - 1).sort((one, other) => other - one);
  const margin = losses === 0 ? 0 : Math.max(leastMargin, times * issued.length) + leastMargin * losses;
  const allowed = maxGranted + margin;
  return gaps.reduce((missing, gap, at) => missing + (at < rollbacks + losses ? Math.max(gap - allowed, 0) : gap), 0);
};

/**
 * Numbers are 1, 2, 3, … without a gap: a number that was never seen must belong to a write with an unknown outcome. The
 * workstream of such a write may be unknown, too, so all workstreams of a workspace share these writes. After a rollback of
 * the databases numbers may skip by a grant, and a write whose number was lost may have got another one.
 */
export const dense = checkOf('the numbers of a workstream have no gap', (history, report) => {
  const seen = new Map<string, { workspace: string; prefix: string; numbers: Map<number, Exchange> }>();
  for (const exchange of history.exchanges) {
    for (const { identifier } of [...cardsIn(exchange), ...(exchange.answer?.body.identifiers ?? [])]) {
      const { prefix, number } = partsOf(identifier);
      const name = `${exchange.workspace}/${prefix}`;
      const series = seen.get(name) ?? { workspace: exchange.workspace, prefix, numbers: new Map<number, Exchange>() };
      seen.set(name, series);
      if (!series.numbers.has(number)) series.numbers.set(number, exchange);
    }
  }
  const rollbacks = rollbacksOf(history);
  const adopted = adoptedThrough(history);
  const issuedDuringRollback = ({ exchanges }: Write) =>
    exchanges.some((one) => !isAcknowledged(one) && !isRefused(one) && isDuringRollback(one, rollbacks));
  const open = viewOf(history)
    .writesOf('createCard', 'transferCard', 'patchCard')
    .filter((write) => mayHaveIssued(write) || issuedDuringRollback(write));
  let looked = 0;
  for (const [workspace, ofWorkspace] of Map.groupBy(seen.values(), (series) => series.workspace)) {
    let missing = 0;
    const gaps: string[] = [];
    const shown: (Exchange | undefined)[] = [];
    for (const { prefix, numbers } of ofWorkspace) {
      looked += numbers.size;
      const highest = Math.max(...numbers.keys());
      const skips = { rollbacks: rollbacks.length, losses: registerLossesOf(history) };
      const lacking = missingOf(numbers, skips, adopted.get(`${workspace}/${prefix}`) ?? 0);
      if (lacking === 0) continue;
      missing += lacking;
      const gap = Array.from({ length: highest }, (_, at) => at + 1).find((number) => !numbers.has(number));
      gaps.push(`${prefix}-${gap}`);
      shown.push(numbers.get(highest));
    }
    const unknown = open.filter((write) => write.workspace === workspace).length;
    if (missing <= unknown) continue;
    const examples = gaps.slice(0, 5).join(', ');
    const message = `workspace ${workspace}: ${missing} numbers are missing, such as ${examples}, and ${unknown} writes have an unknown outcome`;
    report(message, ...shown);
  }
  return looked;
});
