import { against, done, type IfMatch, type Prediction, refused, shown } from './story.ts';

/*
 * The rules of dependencies (CONTRACT 7): cards on a board of the
 * workspace and on one that `ann` may hide, seen by her and by `bob`.
 */

export type User = 'ann' | 'bob';
export const boards = ['Open', 'Hers'] as const;
export type Board = (typeof boards)[number];
export const cards = ['A', 'B', 'C', 'X', 'Y'] as const;
export type Name = (typeof cards)[number];
export const boardOf = (name: Name): Board => (name === 'X' || name === 'Y' ? 'Hers' : 'Open');

interface Card {
  version: number;
  identifier: string;
  completed: boolean;
  archived: boolean;
}

export class DependencyModel {
  readonly cards = new Map<Name, Card>();
  /** Which card waits for which, the oldest first. */
  edges: [Name, Name][] = [];
  /** Whether everybody sees Hers. */
  shared = false;
  readonly deletedBoards = new Set<Board>();
  private transferred = 0;

  constructor() {
    const fresh = { version: 1, completed: false, archived: false };
    for (const [at, name] of cards.entries()) this.cards.set(name, { ...fresh, identifier: `MAIN-${at + 1}` });
  }

  private seen(by: User, name: Name): Card | undefined {
    return boardOf(name) === 'Open' || this.shared || by === 'ann' ? this.cards.get(name) : undefined;
  }

  private identifiersSeen = (by: User, names: Name[]) => names.flatMap((name) => this.seen(by, name)?.identifier ?? []);

  /** The dependents of a card, or its dependencies, oldest first. */
  private others(name: Name, end: 'dependencies' | 'dependents'): Name[] {
    const [own, other] = end === 'dependencies' ? ([0, 1] as const) : ([1, 0] as const);
    return this.edges.filter((edge) => edge[own] === name).map((edge) => edge[other]);
  }

  /** The shortest ways from one card to another along what they wait for. */
  private ways(from: Name, to: Name): Name[][] {
    let ways: Name[][] = [[from]];
    for (let length = 0; length < cards.length; length += 1) {
      const there = ways.filter((way) => way.at(-1) === to);
      if (there.length > 0) return there;
      ways = ways.flatMap((way) => this.others(way.at(-1) as Name, 'dependencies').map((next) => [...way, next]));
    }
    return [];
  }

  /** A desired state; of several shortest cycles any may be answered. @returns what may be answered */
  depend(by: User, name: Name, on: Name): Prediction {
    if (name === on) return refused(422);
    if (!this.seen(by, name) || !this.seen(by, on)) return refused(404);
    if (this.deletedBoards.has(boardOf(name))) return refused(409);
    const cycles = this.ways(on, name).map((way) => this.identifiersSeen(by, [name, ...way]));
    if (cycles.length > 0) return refused(409, oneOf(cycles.map((path) => ({ path }))));
    if (!this.others(name, 'dependencies').includes(on)) this.edges.push([name, on]);
    return shown({ card: name, on });
  }

  /** A dependency on a card that the caller does not see stays, and the answer does not reveal it. */
  release(by: User, name: Name, on: Name): Prediction {
    if (!this.seen(by, name)) return refused(404);
    if (this.deletedBoards.has(boardOf(name))) return refused(409);
    if (this.seen(by, on)) this.edges = this.edges.filter(([one, other]) => one !== name || other !== on);
    return done;
  }

  complete = (name: Name, completed: boolean) =>
    this.write(name, 'current', (card) => {
      if (card.completed !== completed) card.version += 1;
      card.completed = completed;
    });

  archive = (name: Name) =>
    this.write(name, 'current', (card) => {
      if (!card.archived) card.version += 1;
      card.archived = true;
    });

  /** To PAY, where there is nothing to do for a card that is there. */
  transfer = (name: Name) =>
    this.write(name, 'current', (card) => {
      if (card.identifier.startsWith('PAY')) return;
      this.transferred += 1;
      card.identifier = `PAY-${this.transferred}`;
      card.version += 1;
    });

  private write(name: Name, ifMatch: IfMatch, change: (card: Card) => void): Prediction {
    const card = this.cards.get(name);
    const refusal = against(ifMatch, card);
    if (refusal || !card) return refusal ?? refused(404);
    if (this.deletedBoards.has(boardOf(name))) return refused(409);
    change(card);
    return shown({ ...card });
  }

  /** A deleted card takes its dependencies along, at both ends. */
  delete(name: Name): Prediction {
    const answer = this.write(name, 'current', () => undefined);
    if (answer.status !== 200) return answer;
    this.cards.delete(name);
    this.edges = this.edges.filter((edge) => !edge.includes(name));
    return done;
  }

  deleteBoard(board: Board): Prediction {
    this.deletedBoards.add(board);
    return done;
  }

  share(shared: boolean): Prediction {
    this.shared = shared;
    return shown(shared ? 'workspace' : 'private');
  }

  /** Cards that the caller does not see are left out. */
  list(by: User, name: Name, end: 'dependencies' | 'dependents'): Prediction {
    if (!this.seen(by, name)) return refused(404);
    const seen = this.others(name, end).filter((other) => this.seen(by, other));
    return shown(seen.map((other) => ({ name: other, ...this.summary(other) })));
  }

  private summary(name: Name) {
    const { version: _, ...summary } = this.cards.get(name) as Card;
    return summary;
  }

  /** Every dependency counts, also on a card that the caller does not see. */
  count(by: User, name: Name): Prediction {
    if (!this.seen(by, name)) return refused(404);
    return shown([this.others(name, 'dependencies').length, this.others(name, 'dependents').length]);
  }

  /** The active cards of a board that have a dependency that is not completed, or that have none. */
  blocked(by: User, board: Board, blocked: boolean): Prediction {
    const isSeen = board === 'Open' || this.shared || by === 'ann';
    if (!isSeen || this.deletedBoards.has(board)) return refused(404);
    const waits = (name: Name) => this.others(name, 'dependencies').some((on) => !this.cards.get(on)?.completed);
    const active = [...this.cards].filter(([name, card]) => boardOf(name) === board && !card.archived);
    const found = active.map(([name]) => name).filter((name) => waits(name) === blocked);
    return shown(found.sort());
  }
}

/** Equals any of some values, where answers are compared. */
const oneOf = (values: unknown[]) => ({
  asymmetricMatch: (value: unknown) => values.some((one) => JSON.stringify(one) === JSON.stringify(value)),
  toString: () => 'oneOf',
  toAsymmetricMatcher: () => `one of ${JSON.stringify(values)}`,
  $$typeof: Symbol.for('jest.asymmetricMatcher'),
});
