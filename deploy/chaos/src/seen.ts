import { hash } from 'node:crypto';
import stringify from 'safe-stable-stringify';

/** A card as an answer showed it. */
export interface SeenCard {
  id: string;
  version: number;
  identifier: string;
  /** The id of its workstream. */
  workstream: string;
  /** A digest of everything that the version covers: the same in every answer with this version. */
  digest: string;
  title: string;
  /** A digest of the fields that no edit writes: place, parts, creator. Absent in lists. */
  rest?: string;
  archived?: boolean;
  completed?: boolean;
  priority?: string | null;
  assignees?: string[];
  labels?: string[];
}

/** Another resource with a version. */
interface SeenResource {
  type: string;
  id: string;
  version: number;
  digest: string;
  archived?: boolean;
}

/** The parts of an answer's body that are kept: a run has hundreds of thousands of answers. */
export interface Seen {
  /** A digest of the whole body with sorted members; replays have the same one. */
  whole?: string;
  card?: SeenCard;
  resource?: SeenResource;
  /** Of a list, in its order. */
  cards?: SeenCard[];
  resources?: SeenResource[];
  /** Ids of the cards at the other end of dependencies. */
  linked?: string[];
  /** Of a list: whether there are further pages. */
  more?: boolean;
  lookup?: { resolved: string; alias: boolean; current: string; dependencies: number; dependents: number };
  /** A card's identifiers, oldest first. */
  identifiers?: { identifier: string; current: boolean; superseded: boolean; adopted?: boolean }[];
  /** Of an adoption: identifiers that were taken, and the cards that have them. */
  taken?: { identifier: string; card: string }[];
  /** Of a new API key; replays have no text. */
  apiKey?: { id: string; text: string | null };
  /** Of a new file. */
  file?: { id: string; status: string };
  error?: { code: string; currentVersion?: number; requestId?: string };
  /** Seconds in `Retry-After`. */
  retryAfter?: number;
  /** The beginning of a body that is not JSON or not of the API. */
  strange?: string;
}

type Json = Record<string, unknown>;

const digestOf = (value: unknown): string => hash('sha1', stringify(value) ?? '', 'base64url').slice(0, 14);

const workstreamOf = (card: Json) => (card.workstream as Json).id as string;

/** Positions are rebalanced and workstreams renamed without a new version (CONTRACT 3.3). */
const seeCard = (card: Json, whole: boolean): SeenCard => {
  const { position: _, workstream: __, ...spoken } = card;
  const seen: SeenCard = {
    id: card.id as string,
    version: card.version as number,
    identifier: card.identifier as string,
    workstream: workstreamOf(card),
    digest: digestOf({ ...spoken, workstream_id: workstreamOf(card) }),
    title: card.title as string,
  };
  if (!whole) return seen;
  const { version, updated_at, identifier, title, archived_at, completed_at, priority, ...rest } = spoken;
  return {
    ...seen,
    rest: digestOf(rest),
    archived: archived_at !== null,
    completed: completed_at !== null,
    priority: priority as string | null,
    assignees: card.assignee_user_ids as string[],
    labels: card.label_ids as string[],
  };
};

/**
 * Leaves out what a version does not cover: positions, which are rebalanced; another service's data of a linked file; and a
 * field that the last release does not have.
 */
const seeResource = ({ position: _, linked_file: __, adopting: ___, ...spoken }: Json): SeenResource => ({
  type: spoken.type as string,
  id: spoken.id as string,
  version: spoken.version as number,
  digest: digestOf(spoken),
  ...('archived_at' in spoken && { archived: spoken.archived_at !== null }),
});

const isCard = (value: unknown): boolean => (value as Json | null)?.type === 'card';
const isVersioned = (value: unknown): boolean => typeof (value as Json | null)?.version === 'number';

const seeData = (data: unknown): Seen => {
  const one = data as Json;
  if (isCard(one)) return { card: seeCard(one, true) };
  if (isVersioned(one)) return { resource: seeResource(one) };
  if (one?.type === 'file') return { file: { id: one.id as string, status: one.status as string } };
  if (typeof one?.key !== 'undefined') return { apiKey: { id: one.id as string, text: one.key as string | null } };
  if (!isCard(one?.card)) return {};
  const card = one.card as Json;
  const { dependency_count, dependent_count } = one.reference as Json;
  return {
    card: seeCard(card, true),
    lookup: {
      resolved: one.resolved_identifier as string,
      alias: one.is_alias as boolean,
      current: one.current_identifier as string,
      dependencies: dependency_count as number,
      dependents: dependent_count as number,
    },
  };
};

const seeList = (list: Json[], page: Json): Seen => {
  const seen: Seen = { more: page.has_more as boolean };
  const [first] = list;
  if (first && isCard(first)) return { ...seen, cards: list.map((one) => seeCard(one, false)) };
  if (first && isVersioned(first)) return { ...seen, resources: list.map(seeResource) };
  if (first && 'is_current' in first) {
    const entry = ({ identifier, is_current, superseded_at, adopted }: Json) => ({
      identifier: identifier as string,
      current: is_current as boolean,
      superseded: superseded_at !== null,
      adopted: adopted === true,
    });
    return { ...seen, identifiers: list.map(entry) };
  }
  if (first && 'card' in first) return { ...seen, linked: list.map((one) => (one.card as Json).id as string) };
  return seen;
};

/** Of an adoption: the adopted cards, and the cards that have the identifiers of refused ones. */
const seeAdoptions = (list: Json[]): Seen => ({
  cards: list.flatMap(({ data }) => (data ? [seeCard(data as Json, false)] : [])),
  taken: list.flatMap(({ error }) => {
    const details = (error as Json | undefined)?.details as Json | undefined;
    return details?.card_id ? [{ identifier: details.identifier as string, card: details.card_id as string }] : [];
  }),
});

/** Returns what is kept of an answer. @param text its body */
export const see = (text: string): Seen => {
  if (text === '') return {};
  let body: Json;
  try {
    body = JSON.parse(text);
  } catch {
    return { strange: text.slice(0, 200) };
  }
  const { data, page, error } = body as { data?: unknown; page?: Json; error?: Json };
  if (error) {
    const details = error.details as Json | undefined;
    return {
      error: {
        code: error.code as string,
        ...(typeof details?.current_version === 'number' && { currentVersion: details.current_version }),
        ...(typeof error.request_id === 'string' && { requestId: error.request_id }),
      },
    };
  }
  const whole = digestOf(body);
  if (Array.isArray(data)) {
    if (page) return { whole, ...seeList(data, page) };
    return { whole, ...('status' in (data[0] ?? {}) ? seeAdoptions(data) : { strange: text.slice(0, 200) }) };
  }
  const seen = seeData(data);
  // A replay has all of the answer but the text of a key.
  if (seen.apiKey) return { whole: digestOf({ ...body, data: { ...(data as Json), key: null } }), ...seen };
  return data ? { whole, ...seen } : { strange: text.slice(0, 200) };
};
