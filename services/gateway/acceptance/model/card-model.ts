import { against, done, type IfMatch, keyReused, type Prediction, refused, shown } from './story.ts';

/*
 * The rules of cards (CONTRACT 5; CONTRACT 3.4): one board with three columns, a
 * column of another board, three workstreams.
 */

export const columns = ['todo', 'doing', 'done'] as const;
/** `elsewhere` is a column of another board. */
export type Column = (typeof columns)[number] | 'elsewhere';
export const prefixes = ['MAIN', 'PAY', 'WEB'] as const;
export type Prefix = (typeof prefixes)[number];

interface Card {
  version: number;
  title: string;
  description: string | null;
  priority: string | null;
  completed: boolean;
  archived: boolean;
  column: Column;
  /** Oldest first; the last one is current. */
  identifiers: string[];
}

export interface Edit {
  title?: string;
  description?: string | null;
  priority?: string | null;
  completed?: boolean;
  /** The workstream; `unknown` for one that is not there. */
  workstream?: Prefix | 'unknown';
}

/** Where a move goes: `at` the position that another card has, `below` halfway from it to the next one. */
export type Place = 'start' | 'end' | { before: string } | { after: string } | { at: string } | { below: string };

export class CardModel {
  readonly cards = new Map<string, Card>();
  /** The cards that were deleted, with their identifiers. */
  readonly deleted = new Map<string, string[]>();
  /** The cards of each column from the top, archived ones too. */
  readonly order: Record<Column, string[]> = { todo: [], doing: [], done: [], elsewhere: [] };
  readonly archivedColumns = new Set<Column>();
  boardDefault: Prefix | null = null;
  /** Keyed requests that succeeded, with the status of their answers. */
  readonly answered = new Map<string, number>();
  private readonly lastNumbers = { MAIN: 0, PAY: 0, WEB: 0 };

  /** What an answer shows of a card. */
  view(name: string) {
    const { identifiers, ...card } = this.cards.get(name) as Card;
    const above = this.order[card.column];
    const identifier = identifiers.at(-1) as string;
    return { ...card, identifier, workstream: prefixOf(identifier), above: above.slice(0, above.indexOf(name)) };
  }

  create(name: string, column: Column, { workstream, ...fields }: Edit): Prediction {
    if (workstream === 'unknown') return refused(404);
    if (this.archivedColumns.has(column)) return refused(409);
    const identifiers = [this.issue(workstream ?? this.boardDefault ?? 'MAIN')];
    const empty = { version: 1, title: name, description: null, priority: null, completed: false, archived: false };
    this.cards.set(name, { ...empty, ...fields, column, identifiers });
    this.order[column].unshift(name);
    return this.keyed(`create ${name}`, shown(this.view(name), 201));
  }

  /** PATCH: a transfer and the edits are both made or neither, each a version where it changes something. */
  edit(name: string, ifMatch: IfMatch, { workstream, ...fields }: Edit): Prediction {
    const card = this.cards.get(name);
    const refusal = against(ifMatch, card, fields.title === '');
    if (refusal || !card) return refusal ?? refused(404);
    if (workstream === 'unknown') return refused(404);
    const changes = Object.entries(fields).some(([field, value]) => card[field as keyof Card] !== value);
    Object.assign(card, fields);
    if (changes) card.version += 1;
    this.goTo(card, workstream);
    return shown(this.view(name));
  }

  transfer(name: string, ifMatch: IfMatch, workstream: Prefix | 'unknown'): Prediction {
    return this.write('transfer', name, ifMatch, (card) => {
      if (workstream === 'unknown') return refused(404);
      this.goTo(card, workstream);
      return undefined;
    });
  }

  move(name: string, ifMatch: IfMatch, column: Column | undefined, place: Place): Prediction {
    return this.write('move', name, ifMatch, (card) => {
      const anchor = anchorOf(place);
      const to = column ?? (anchor === undefined ? card.column : this.cards.get(anchor)?.column);
      if (!to || anchor === name) return refused(422);
      // To another board only where its column is named.
      if (!column && (to === 'elsewhere') !== (card.column === 'elsewhere')) return refused(422);
      if (anchor && this.cards.get(anchor)?.column !== to) return refused(422);
      if (card.archived || this.archivedColumns.has(to)) return refused(409);
      if (this.put(name, card, to, place)) card.version += 1;
      return undefined;
    });
  }

  archive = (name: string, ifMatch: IfMatch): Prediction =>
    this.write('archive', name, ifMatch, (card) => {
      if (!card.archived) card.version += 1;
      card.archived = true;
      return undefined;
    });

  /** To its place, or to the start of the first active column where its own is archived. */
  restore = (name: string, ifMatch: IfMatch): Prediction =>
    this.write('restore', name, ifMatch, (card) => {
      if (!card.archived) return undefined;
      if (this.archivedColumns.has(card.column)) {
        const active = columns.find((one) => !this.archivedColumns.has(one));
        if (!active) return refused(409);
        this.put(name, card, active, 'start');
      }
      card.archived = false;
      card.version += 1;
      return undefined;
    });

  delete(name: string, ifMatch: IfMatch, isAdmin: boolean): Prediction {
    if (!isAdmin) return refused(403);
    const card = this.cards.get(name);
    const refusal = against(ifMatch, card);
    if (refusal || !card) return refusal ?? refused(404);
    this.takeOut(name, card);
    this.cards.delete(name);
    this.deleted.set(name, card.identifiers);
    return done;
  }

  /** An answered request once more; what it was done to comes before its answer in the order of checks. */
  repeat(label: string, changed: boolean): Prediction {
    const [operation, name = ''] = label.split(' ');
    if (operation !== 'create' && !this.cards.has(name)) return refused(404);
    return changed ? keyReused : shown(true, this.answered.get(label));
  }

  /** A versioned POST, of which a success is kept under its key. */
  private write(operation: string, name: string, ifMatch: IfMatch, change: (card: Card) => Prediction | undefined) {
    const card = this.cards.get(name);
    const refusal = against(ifMatch, card) ?? (card && change(card));
    return refusal ?? this.keyed(`${operation} ${name}`, shown(this.view(name)));
  }

  private keyed(label: string, prediction: Prediction): Prediction {
    this.answered.set(label, prediction.status);
    return prediction;
  }

  private issue(prefix: Prefix): string {
    this.lastNumbers[prefix] += 1;
    return `${prefix}-${this.lastNumbers[prefix]}`;
  }

  /** To another workstream; there is nothing to do where the card is in it. */
  private goTo(card: Card, workstream: Prefix | undefined): void {
    if (!workstream || prefixOf(card.identifiers.at(-1)) === workstream) return;
    card.identifiers.push(this.issue(workstream));
    card.version += 1;
  }

  private takeOut(name: string, { column }: Card): void {
    this.order[column] = this.order[column].filter((other) => other !== name);
  }

  /** @returns whether the card comes to stand elsewhere */
  private put(name: string, card: Card, to: Column, place: Place): boolean {
    const before = [card.column, ...this.order[card.column]].join();
    this.takeOut(name, card);
    card.column = to;
    this.order[to].splice(this.indexOf(place, this.order[to], before.split(',').indexOf(name) - 1), 0, name);
    // Halfway to the next card is another position, also for the one that stands there.
    return before !== [to, ...this.order[to]].join() || (typeof place === 'object' && 'below' in place);
  }

  private indexOf(place: Place, others: string[], own: number): number {
    if (place === 'start') return 0;
    if (place === 'end') return others.length;
    const anchor = Object.values(place)[0] as string;
    // A card's own position is where it is.
    if (!others.includes(anchor)) return own;
    return others.indexOf(anchor) + ('after' in place || 'below' in place ? 1 : 0);
  }
}

export const prefixOf = (identifier: string | undefined) => identifier?.split('-')[0];

/** The card that a body names; `at` and `below` send numbers. */
const anchorOf = (place: Place): string | undefined => {
  if (typeof place === 'string') return undefined;
  if ('before' in place) return place.before;
  return 'after' in place ? place.after : undefined;
};
