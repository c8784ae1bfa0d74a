import { type Body, type Client, together, untilAnswered } from '../workspace.ts';
import type { Answered, Load } from './load.ts';

/** The time in which what was answered may have been lost, on the clock of `performance.now()`. */
export interface Span {
  from: number;
  to: number;
}

/** The result of a drill. */
export interface Figures {
  answered: number;
  /** Answered between the point to which all were rolled back and the rollback, and not found any more. */
  lost: number;
  /** Not found, though answered before or after that. */
  missing: string[];
  /** Answered for one card, and naming another one now. */
  another: string[];
  /** Answered for two cards. */
  twice: string[];
  /** Of those and of the numbers that were skipped: said to have never been given out. */
  denied: string[];
  /** Numbers up to the highest that were never answered and name no card, by prefix. */
  skipped: Record<string, number>;
  /** Longest time in which no write was answered, seconds. */
  withoutWrites: number;
}

const lookUpsAtOnce = 24;

/** The card that each identifier names; undefined for one that is not found. */
const lookUp = async (client: Client, identifiers: string[]): Promise<Map<string, string | undefined>> => {
  const named = new Map<string, string | undefined>();
  const rest = [...identifiers];
  await together(lookUpsAtOnce, async () => {
    for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
      const path = `/cards/by-identifier/${next}`;
      const { status, body }: { status: number; body: Body } = await untilAnswered(() => client.get(path));
      if (status !== 200 && status !== 404) throw new Error(`${next}: ${status} ${JSON.stringify(body)}`);
      named.set(next, status === 200 ? body.data.card.id : undefined);
    }
  });
  return named;
};

const atOnce = 100;

/** Those of the identifiers that were never given out, by the service's word. */
const neverIssued = async (client: Client, identifiers: string[]): Promise<string[]> => {
  const never: string[] = [];
  for (let at = 0; at < identifiers.length; at += atOnce) {
    const body = { identifiers: identifiers.slice(at, at + atOnce) };
    const answer = await untilAnswered(() => client.post('/identifiers/resolve', { body, key: null }));
    const references: Body[] = answer.body.data;
    never.push(...references.filter(({ issued }) => !issued).map(({ requested }) => requested));
  }
  return never;
};

const partsOf = (identifier: string) => {
  const at = identifier.lastIndexOf('-');
  return { prefix: identifier.slice(0, at), number: Number(identifier.slice(at + 1)) };
};

/** Numbers below the highest that were never answered. */
const untold = (told: readonly Answered[]): string[] => {
  const numbers = Map.groupBy(
    told.map(({ identifier }) => partsOf(identifier)),
    ({ prefix }) => prefix,
  );
  return [...numbers].flatMap(([prefix, ofPrefix]) => {
    const known = new Set(ofPrefix.map(({ number }) => number));
    const all = Array.from({ length: Math.max(...known) }, (_, at) => at + 1);
    return all.filter((number) => !known.has(number)).map((number) => `${prefix}-${number}`);
  });
};

const count = (identifiers: string[]) =>
  Object.fromEntries(
    [...Map.groupBy(identifiers, (one) => partsOf(one).prefix)].map(([prefix, some]) => [prefix, some.length]),
  );

/** Looks up every identifier that the clients were answered, once they have stopped. */
export const figuresOf = async ({ client, told }: Load, span: Span): Promise<Figures> => {
  const cards = Map.groupBy(told, ({ identifier }) => identifier);
  const named = await lookUp(client, [...cards.keys()]);
  const isLost = ({ began, at }: Answered) => at >= span.from && began <= span.to;
  const gone = told.filter(({ identifier }) => named.get(identifier) === undefined);
  const another = told.filter(({ identifier, card }) => (named.get(identifier) ?? card) !== card);
  const twice = [...cards].filter(([, all]) => new Set(all.map(({ card }) => card)).size > 1);
  const below = untold(told);
  const holes = [...(await lookUp(client, below))].filter(([, card]) => card === undefined);
  const moments = told.map(({ at }) => at).sort((one, other) => one - other);
  const pauses = moments.map((moment, at) => (moments[at + 1] ?? moment) - moment);
  return {
    answered: cards.size,
    lost: gone.filter(isLost).length,
    missing: gone.filter((one) => !isLost(one)).map(({ identifier }) => identifier),
    another: another.map(({ identifier }) => identifier),
    twice: twice.map(([identifier]) => identifier),
    denied: await neverIssued(client, [...cards.keys(), ...below]),
    skipped: count(holes.map(([identifier]) => identifier)),
    withoutWrites: Math.max(...pauses) / 1_000,
  };
};

const sum = (numbers: Record<string, number>) => Object.values(numbers).reduce((all, one) => all + one, 0);

/** One line for a person. */
export const lineOf = (name: string, figures: Figures): string => {
  const { answered, lost, missing, another, twice, skipped, withoutWrites } = figures;
  const byPrefix = Object.entries(skipped).map(([prefix, number]) => `${prefix} ${number}`);
  return [
    `${name}: ${answered} identifiers answered, ${lost} lost, ${another.length} naming another card`,
    `${twice.length} answered for two cards, ${missing.length} missing`,
    `${sum(skipped)} numbers skipped${byPrefix.length > 0 ? ` (${byPrefix.join(', ')})` : ''}`,
    `${withoutWrites.toFixed(1)} s without writes`,
  ].join(', ');
};
