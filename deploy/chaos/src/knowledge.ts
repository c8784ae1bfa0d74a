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
  /** All that clients saw. */
  identifiers: string[];
  workstream: string;
  archived: boolean;
}

/** Another resource with a version, and its parent. */
export interface Known {
  id: string;
  version: number;
  parent: string;
  archived: boolean;
}

/** The most old requests, or identifiers, that are remembered. */
const maxRemembered = 400;
/** Most writes go to so many cards, so that they conflict. */
const hottest = 8;

/** The parent in the path of a create: `/cards/<parent>/comments`. */
const parentOf = (path: string) => path.split('/')[2] ?? '';

const remember = <T>(list: T[], item: T) => {
  list.push(item);
  if (list.length > maxRemembered) list.shift();
};

/**
 * What the clients of a workspace know of it. They share it, so their requests conflict, as those of colleagues do. It
 * may be out of date, and no check relies on it.
 */
export class Knowledge {
  readonly id: string;
  readonly users: { id: string; token: string }[];
  readonly cards = new Map<string, KnownCard>();
  /** Of boards, columns, workstreams, labels, comments and subtasks, by type. */
  readonly others = new Map<string, Map<string, Known>>();
  /** Uploaded images. */
  readonly images: string[] = [];
  /** Requests with a key, answered or not. */
  readonly keyed: { planned: PlannedRequest; user: number }[] = [];
  /** Identifiers of deleted cards. */
  readonly gone: string[] = [];
  readonly edges: [string, string][] = [];
  /** Workstreams that adopt, with the prefix of an earlier one that some of their cards come from. */
  readonly adopting: { id: string; prefix: string; before: string | undefined }[] = [];

  constructor(id: string, users: { id: string; token: string }[]) {
    this.id = id;
    this.users = users;
  }

  /** Learns from the content of an answer. */
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
    // A subtask that is read alone does not name its card.
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

  /** Remembers a request with a key, which may be repeated later. */
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

  /** A random card; mostly one of the newest few, so that writes conflict. */
  someCard(random: Random): KnownCard | undefined {
    const all = [...this.cards.values()];
    if (all.length === 0) return undefined;
    return random.pick(random.chance(0.6) ? all.slice(-hottest) : all);
  }

  /** A random resource of a type that `which` accepts. */
  some(random: Random, type: string, which: (one: Known) => boolean = () => true): Known | undefined {
    const all = [...this.of(type).values()].filter(which);
    return all.length === 0 ? undefined : random.pick(all);
  }
}

export const isActive = ({ archived }: { archived: boolean }) => !archived;
