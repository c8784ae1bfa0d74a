import type { Exchange, History, HistoryCheck, Violation } from '../history.ts';
import { byStart, cardsIn, idsOf, Latest, targetOf, viewOf } from '../view.ts';

/** An answer that says whose an identifier is. */
interface Sighting {
  name: string;
  identifier: string;
  card: string;
  exchange: Exchange;
  end: number;
}

const spelling = ({ path }: Exchange) => decodeURIComponent(path.split('/')[3] ?? '').toUpperCase();

const sightingsIn = (exchange: Exchange): Sighting[] => {
  const { answer, workspace, operation, path, end } = exchange;
  if (!answer) return [];
  const sighting = (identifier: string, card: string): Sighting => {
    return { name: `${workspace}/${identifier}`, identifier, card, exchange, end };
  };
  const { lookup, identifiers, card } = answer.body;
  return [
    ...cardsIn(exchange).map(({ identifier, id }) => sighting(identifier, id)),
    ...(lookup && card ? [sighting(lookup.resolved.toUpperCase(), card.id)] : []),
    ...(identifiers && operation === 'listIdentifiers'
      ? identifiers.map(({ identifier }) => sighting(identifier, targetOf(path)))
      : []),
  ];
};

const sightings = (history: History) => Map.groupBy(history.exchanges.flatMap(sightingsIn), ({ name }) => name);

/** No identifier is ever seen on two cards (specification, "Identifier rules", 2). */
export const oneCard: HistoryCheck = {
  rule: 'an identifier names one card',
  check(history) {
    const violations: Violation[] = [];
    const named = sightings(history);
    for (const [, [first, ...others]] of named) {
      const other = others.find(({ card }) => card !== first?.card);
      if (!first || !other) continue;
      const message = `${first.identifier} names card ${first.card} and card ${other.card}`;
      violations.push({ rule: this.rule, message, exchanges: idsOf(first.exchange, other.exchange) });
    }
    return { looked: named.size, violations };
  },
};

/**
 * An identifier that was ever answered resolves to its card for ever, and is not found only after its deletion has
 * begun. A look-up that began before the first such answer may not know it yet.
 */
export const resolves: HistoryCheck = {
  rule: 'an identifier resolves for ever',
  check(history) {
    const violations: Violation[] = [];
    const { deletions } = viewOf(history);
    const lookups = history.exchanges.filter(({ operation, answer }) => operation === 'getCardByIdentifier' && answer);
    const firsts = new Map<string, Sighting>();
    for (const [name, seen] of sightings(history)) {
      firsts.set(
        name,
        seen.reduce((first, one) => (one.end < first.end ? one : first)),
      );
    }
    for (const lookup of lookups) {
      const known = firsts.get(`${lookup.workspace}/${spelling(lookup)}`);
      const { status } = lookup.answer ?? {};
      if (!known || known.end > lookup.start || status !== 404) continue;
      const isDeleted = deletions.get(known.card)?.some(({ start }) => start < lookup.end);
      if (isDeleted) continue;
      const message = `${known.identifier} of card ${known.card}, which nobody deleted, is not found`;
      violations.push({ rule: this.rule, message, exchanges: idsOf(known.exchange, lookup) });
    }
    return { looked: lookups.length, violations };
  },
};

const historyFault = ({ answer }: Exchange): string | undefined => {
  const entries = answer?.body.identifiers ?? [];
  if (answer?.body.more) return undefined;
  const current = entries.filter((one) => one.current);
  if (current.length !== 1) return `${current.length} current identifiers`;
  if (!entries.at(-1)?.current) return `a current identifier that is not the last one`;
  if (entries.some((one) => one.current === one.superseded))
    return 'an alias that was never superseded, or a current one that was';
  if (new Set(entries.map(({ identifier }) => identifier)).size < entries.length) return 'an identifier twice';
  return undefined;
};

const lookupFault = ({ answer }: Exchange): string | undefined => {
  const { lookup, card } = answer?.body ?? {};
  if (!lookup || !card) return undefined;
  if (lookup.current !== card.identifier) return `${lookup.current} as current, and shows ${card.identifier}`;
  const isAlias = lookup.resolved.toUpperCase() !== card.identifier;
  return lookup.alias === isAlias
    ? undefined
    : `is_alias ${lookup.alias} for ${lookup.resolved}, of ${card.identifier}`;
};

/** Exactly one identifier of a card is current, in each answer by itself (specification, "Identifier rules", 4). */
export const oneCurrent: HistoryCheck = {
  rule: 'a card has one current identifier',
  check(history) {
    let looked = 0;
    const violations: Violation[] = [];
    for (const exchange of history.exchanges) {
      const { operation, answer, path } = exchange;
      if (answer?.status !== 200) continue;
      if (operation !== 'listIdentifiers' && operation !== 'getCardByIdentifier') continue;
      looked += 1;
      const fault = operation === 'listIdentifiers' ? historyFault(exchange) : lookupFault(exchange);
      if (fault) violations.push({ rule: this.rule, message: `${path} tells ${fault}`, exchanges: [exchange.id] });
    }
    return { looked, violations };
  },
};

interface Told {
  identifiers: string[];
  exchange: Exchange;
  start: number;
  end: number;
}

/** Of two histories of a card one continues the other, and no entry is ever left out later. */
export const historyGrows: HistoryCheck = {
  rule: "a card's history only grows",
  check(history) {
    const told = history.exchanges.flatMap((exchange): (Told & { card: string })[] => {
      const { operation, answer, path, start, end } = exchange;
      const entries = answer?.body.identifiers;
      if (operation !== 'listIdentifiers' || !entries || answer.body.more) return [];
      return [{ card: targetOf(path), identifiers: entries.map(({ identifier }) => identifier), exchange, start, end }];
    });
    const violations: Violation[] = [];
    for (const [card, ofCard] of Map.groupBy(told, (one) => one.card)) {
      const longest = ofCard.reduce((most, one) => (one.identifiers.length > most.identifiers.length ? one : most));
      const ended = new Latest(ofCard, ({ identifiers }) => identifiers.length);
      for (const one of byStart(ofCard)) {
        const before = ended.before(one.start);
        const differs = one.identifiers.findIndex((identifier, at) => identifier !== longest.identifiers[at]);
        const other =
          differs >= 0 ? longest : before && before.identifiers.length > one.identifiers.length ? before : undefined;
        if (!other) continue;
        const message = `card ${card} has the history ${one.identifiers.join(', ')}, and ${other.identifiers.join(', ')}`;
        violations.push({ rule: this.rule, message, exchanges: idsOf(one.exchange, other.exchange) });
      }
    }
    return { looked: told.length, violations };
  },
};
