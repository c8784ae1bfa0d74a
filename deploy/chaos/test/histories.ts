import type { Exchange, Following, History, HistoryCheck, InjectedFault } from '../src/history.ts';
import type { Seen, SeenCard } from '../src/seen.ts';

/** A request of a small history. Fields that a test does not name have usual values. */
export type Told = Partial<Omit<Exchange, 'answer'>> & {
  operation: string;
  /** When it began and ended. */
  at: [number, number];
  /** Undefined if no answer came. */
  status?: number;
  etag?: number;
  replayed?: boolean;
  seen?: Seen;
};

const methods: Record<string, string> = {
  get: 'GET',
  list: 'GET',
  put: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
};

const exchangeOf = ({ at: [start, end], status, etag, replayed = false, seen = {}, ...told }: Told): Exchange => ({
  id: 0,
  client: 0,
  workspace: 'w',
  gateway: 'gateway-1',
  method: methods[/^[a-z]+/.exec(told.operation)?.[0] ?? ''] ?? 'POST',
  path: '/cards/a',
  start,
  end,
  ...(status === undefined
    ? { lost: 'socket hang up' }
    : { answer: { status, replayed, requestId: 'r', body: seen, ...(etag !== undefined && { etag }) } }),
  ...told,
});

export const historyOf = (exchanges: Told[], faults: InjectedFault[] = [], follows: Following[] = []): History => ({
  seed: 1,
  exchanges: exchanges.map((told, id) => ({ ...exchangeOf(told), id })),
  faults,
  follows,
});

/** The messages of the violations that a check finds in a history. */
export const saidOf = (
  check: HistoryCheck,
  exchanges: Told[],
  faults: InjectedFault[] = [],
  follows: Following[] = [],
): string[] => check.check(historyOf(exchanges, faults, follows)).violations.map(({ message }) => message);

export const fault = (start: number, end: number, ...members: string[]): InjectedFault => {
  return { kind: 'kill', members, detail: 'SIGKILL', start, end };
};

/** A card as an answer shows it. Equal versions are equal. */
export const card = (id: string, version: number, identifier: string, other: Partial<SeenCard> = {}): SeenCard => ({
  id,
  version,
  identifier,
  workstream: identifier.replace(/-\d+$/, ''),
  digest: `${id}@${version}`,
  title: `${id} first`,
  rest: 'rest',
  archived: false,
  completed: false,
  priority: null,
  ...other,
});

export const created = (at: [number, number], one: SeenCard, other: Partial<Told> = {}): Told => {
  const body = { title: one.title };
  return {
    operation: 'createCard',
    path: '/columns/c/cards',
    key: one.id,
    body,
    at,
    status: 201,
    seen: { card: one },
    ...other,
  };
};
export const readCard = (at: [number, number], one: SeenCard): Told => {
  return { operation: 'getCard', path: `/cards/${one.id}`, at, status: 200, seen: { card: one } };
};
export const notFound = (at: [number, number], id: string): Told => {
  return { operation: 'getCard', path: `/cards/${id}`, at, status: 404 };
};
/** @param status undefined: the outcome is unknown */
export const deletedCard = (at: [number, number], id: string, status?: number): Told => {
  return { operation: 'deleteCard', path: `/cards/${id}`, ifMatch: 1, at, ...(status !== undefined && { status }) };
};
export const lookedUp = (at: [number, number], identifier: string, one?: SeenCard, other: Partial<Told> = {}): Told => {
  const path = `/cards/by-identifier/${identifier}`;
  if (!one) return { operation: 'getCardByIdentifier', path, at, status: 404, ...other };
  const alias = identifier.toUpperCase() !== one.identifier;
  const lookup = { resolved: identifier, alias, current: one.identifier, dependencies: 0, dependents: 0 };
  return { operation: 'getCardByIdentifier', path, at, status: 200, seen: { card: one, lookup }, ...other };
};
export const listedHistory = (at: [number, number], id: string, ...identifiers: string[]): Told => {
  const last = identifiers.length - 1;
  const entries = identifiers.map((identifier, n) => ({ identifier, current: n === last, superseded: n < last }));
  const seen = { identifiers: entries, more: false };
  return { operation: 'listIdentifiers', path: `/cards/${id}/identifiers?limit=100`, at, status: 200, seen };
};
/** A write of a version. The answer shows the card after it. */
export const wrote = (
  operation: string,
  at: [number, number],
  from: number,
  one?: SeenCard,
  other: Partial<Told> = {},
): Told => ({
  operation,
  path: `/cards/${one?.id ?? 'a'}`,
  ifMatch: from,
  at,
  ...(one && { status: 200, seen: { card: one }, etag: one.version }),
  ...other,
});
