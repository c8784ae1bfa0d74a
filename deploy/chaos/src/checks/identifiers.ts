import { checkOf, type Exchange, type History } from '../history.ts';
import { byStart, cardsIn, Latest, targetOf, viewOf } from '../view.ts';

/** An answer that shows to which card an identifier belongs. */
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
    ...(answer.body.taken ?? []).map((one) => sighting(one.identifier, one.card)),
    ...(lookup && card ? [sighting(lookup.resolved.toUpperCase(), card.id)] : []),
    ...(identifiers && operation === 'listIdentifiers'
      ? identifiers.map(({ identifier }) => sighting(identifier, targetOf(path)))
      : []),
  ];
};

const sightings = (history: History) => Map.groupBy(history.exchanges.flatMap(sightingsIn), ({ name }) => name);

/** No identifier is ever seen on two cards (CONTRACT 4.1). */
export const oneCard = checkOf('an identifier names one card', (history, report) => {
  const named = sightings(history);
  for (const [, [first, ...others]] of named) {
    const other = others.find(({ card }) => card !== first?.card);
    if (!first || !other) continue;
    report(`${first.identifier} names card ${first.card} and card ${other.card}`, first.exchange, other.exchange);
  }
  return named.size;
});

/**
 * An identifier that was ever answered resolves to its card for ever, and is not found only after its deletion has
 * begun. A look-up that began before the first such answer may not know it yet.
 */
export const resolves = checkOf('an identifier resolves for ever', (history, report) => {
  const { deletions } = viewOf(history);
  const lookups = history.exchanges.filter(({ operation, answer }) => operation === 'getCardByIdentifier' && answer);
  const firstOf = (seen: Sighting[]) => seen.reduce((first, one) => (one.end < first.end ? one : first));
  const firsts = new Map([...sightings(history)].map(([name, seen]) => [name, firstOf(seen)]));
  for (const lookup of lookups) {
    const known = firsts.get(`${lookup.workspace}/${spelling(lookup)}`);
    if (!known || known.end > lookup.start || lookup.answer?.status !== 404) continue;
    if (deletions.get(known.card)?.some(({ start }) => start < lookup.end)) continue;
    const message = `${known.identifier} of card ${known.card}, which nobody deleted, is not found`;
    report(message, known.exchange, lookup);
  }
  return lookups.length;
});

const historyFault = ({ answer }: Exchange): string | undefined => {
  const entries = answer?.body.identifiers ?? [];
  if (answer?.body.more) return undefined;
  const current = entries.filter((one) => one.current);
  if (current.length !== 1) return `${current.length} current identifiers`;
  if (!entries.at(-1)?.current) return `a current identifier that is not the last one`;
  // The time at which a card got an adopted identifier is unknown.
  const mayLackTime = (at: number) => !entries[at]?.current && entries[at + 1]?.adopted;
  if (entries.some((one, at) => one.current === one.superseded && !mayLackTime(at)))
    return 'an alias that was never superseded, or a current one that was';
  if (new Set(entries.map(({ identifier }) => identifier)).size < entries.length) return 'an identifier twice';
  return undefined;
};

const lookupFault = ({ answer }: Exchange): string | undefined => {
  const { lookup, card } = answer?.body ?? {};
  if (!lookup || !card) return undefined;
  if (lookup.current !== card.identifier) return `${lookup.current} as current, and the card with ${card.identifier}`;
  const isAlias = lookup.resolved.toUpperCase() !== card.identifier;
  return lookup.alias === isAlias
    ? undefined
    : `is_alias ${lookup.alias} for ${lookup.resolved}, of ${card.identifier}`;
};

/** Exactly one identifier of a card is current, in each answer by itself (CONTRACT 4.1). */
export const oneCurrent = checkOf('a card has one current identifier', (history, report) => {
  let looked = 0;
  for (const exchange of history.exchanges) {
    const { operation, answer, path } = exchange;
    if (answer?.status !== 200) continue;
    if (operation !== 'listIdentifiers' && operation !== 'getCardByIdentifier') continue;
    looked += 1;
    const fault = operation === 'listIdentifiers' ? historyFault(exchange) : lookupFault(exchange);
    if (fault) report(`${path} shows ${fault}`, exchange);
  }
  return looked;
});

/** Of two histories of a card, one continues the other, and a later one has every entry. */
export const historyGrows = checkOf("a card's history only grows", (history, report) => {
  const told = history.exchanges.flatMap((exchange) => {
    const { operation, answer, path, start, end } = exchange;
    const entries = answer?.body.identifiers;
    if (operation !== 'listIdentifiers' || !entries || answer.body.more) return [];
    return [{ card: targetOf(path), identifiers: entries.map(({ identifier }) => identifier), exchange, start, end }];
  });
  for (const [card, ofCard] of Map.groupBy(told, (one) => one.card)) {
    const longest = ofCard.reduce((most, one) => (one.identifiers.length > most.identifiers.length ? one : most));
    const ended = new Latest(ofCard, ({ identifiers }) => identifiers.length);
    for (const one of byStart(ofCard)) {
      const before = ended.before(one.start);
      const differs = one.identifiers.some((identifier, at) => identifier !== longest.identifiers[at]);
      const other = differs ? longest : before;
      if (!other || (!differs && other.identifiers.length <= one.identifiers.length)) continue;
      const message = `card ${card} has the history ${one.identifiers.join(', ')}, and ${other.identifiers.join(', ')}`;
      report(message, one.exchange, other.exchange);
    }
  }
  return told.length;
});
