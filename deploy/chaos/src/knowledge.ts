import type { Exchange } from './history.ts';
import type { Seen, SeenCard } from './seen.ts';
import type { PlannedRequest } from './send.ts';
import type { Random } from './system.ts';

/** A card as a client last saw it. */
export interface KnownCard {
  id: string;
  version: number;
  /** A version that it had before. */
  formerVersion: number;
  /** As far as they were seen. */
  identifiers: string[];
  workstream: string;
  archived: boolean;
}

/** Something else with a version, and what it is on. */
export interface Known {
  id: string;
  version: number;
  parent: string;
  archived: boolean;
}

/** Old requests and identifiers that are remembered. */
const maxRemembered = 400;
/** How many cards most writes go to, so that they meet. */
const hottest = 8;

/** What the path of a created thing is below: `/cards/<parent>/comments`. */
const parentOf = (path: string) => path.split('/')[2] ?? '';

const remember = <T>(list: T[], item: T) => {
  list.push(item);
  if (list.length > maxRemembered) list.shift();
};

/**
 * What the clients of a workspace know of it. They share it, so they get into each other's way, as colleagues do. It
 * may be out of date, and no check relies on it.
 */
export class Knowledge {
  readonly id: string;
  readonly users: { id: string; token: string }[];
  readonly cards = new Map<string, KnownCard>();
  /** Of boards, columns, workstreams, labels, comments and subtasks, by type. */
  readonly others = new Map<string, Map<string, Known>>();
  /** Images that were checked. */
  readonly images: string[] = [];
  /** Requests with a key, answered or not. */
  readonly keyed: { planned: PlannedRequest; user: number }[] = [];
  /** Identifiers of deleted cards. */
  readonly gone: string[] = [];
  readonly edges: [string, string][] = [];
  /** Workstreams that were made to adopt, with the prefix of one before, from which some of their cards come. */
  readonly adopting: { id: string; prefix: string; before: string | undefined }[] = [];

  constructor(id: string, users: { id: string; token: string }[]) {
    this.id = id;
    this.users = users;
  }

  /** Takes in the content of an answer. */
  learn({ operation, path, answer, ifMatch, method }: Omit<Exchange, 'id'>): void {
    if (!answer) return;
    const { body, status } = answer;
    const id = parentOf(path);
    if (method === 'DELETE' && (status === 204 || status === 404) && ifMatch !== undefined) this.forget(id);
    if (operation === 'getCard' && status === 404) this.forget(id);
    if (status === 412 && body.error?.currentVersion) this.correct(id, body.error.currentVersion);
    if (status < 300) this.learnBody(body, id);
  }

  private learnBody({ card, cards, resource, resources }: Seen, parent: string): void {
    if (card) this.learnCard(card);
    for (const one of cards ?? []) this.learnCard(one);
    if (resource) this.learnOther(resource.type, { parent, archived: false, ...resource });
    for (const one of resources ?? []) this.learnOther(one.type, { parent, archived: false, ...one });
  }

  private learnCard({ id, version, identifier, workstream, archived }: SeenCard): void {
    const known = this.cards.get(id);
    if (!known) {
      const card = { id, version, formerVersion: version, identifiers: [identifier], workstream };
      this.cards.set(id, { ...card, archived: archived ?? false });
      return;
    }
    if (!known.identifiers.includes(identifier)) known.identifiers.push(identifier);
    if (version <= known.version) return;
    Object.assign(known, { version, formerVersion: known.version, workstream });
    if (archived !== undefined) known.archived = archived;
  }

  private learnOther(type: string, { id, version, parent, archived }: Known): void {
    const ofType = this.of(type);
    const known = ofType.get(id);
    // A subtask that is read by itself does not say what it is on.
    if (known && version >= known.version) Object.assign(known, { version, archived });
    if (!known) ofType.set(id, { id, version, parent, archived });
  }

  private correct(id: string, version: number): void {
    const known = this.cards.get(id) ?? [...this.others.values()].flatMap((of) => of.get(id) ?? [])[0];
    if (known && version > known.version) known.version = version;
  }

  private forget(id: string): void {
    for (const identifier of this.cards.get(id)?.identifiers ?? []) remember(this.gone, identifier);
    this.cards.delete(id);
    for (const ofType of this.others.values()) {
      ofType.delete(id);
      for (const one of ofType.values()) if (one.parent === id) ofType.delete(one.id);
    }
  }

  /** Notes a request with a key, to be sent again some time. */
  noteKeyed(planned: PlannedRequest, user: number): void {
    remember(this.keyed, { planned, user });
  }

  noteEdge(from: string, to: string): void {
    remember(this.edges, [from, to]);
  }

  of(type: string): Map<string, Known> {
    const ofType = this.others.get(type) ?? new Map<string, Known>();
    this.others.set(type, ofType);
    return ofType;
  }

  /** Some card; mostly one of the newest few, which many write to. */
  someCard(random: Random): KnownCard | undefined {
    const all = [...this.cards.values()];
    if (all.length === 0) return undefined;
    return random.pick(random.chance(0.6) ? all.slice(-hottest) : all);
  }

  /** One of a type, active ones where it matters. */
  some(random: Random, type: string, which: (one: Known) => boolean = () => true): Known | undefined {
    const all = [...this.of(type).values()].filter(which);
    return all.length === 0 ? undefined : random.pick(all);
  }
}

export const isActive = ({ archived }: { archived: boolean }) => !archived;
