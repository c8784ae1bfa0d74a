/**
 * One prefix of one workspace: its counter in the card service's database, its workstream in the identifier service's,
 * the register outside of both, and the processes of the two services. 0 stands for "none" everywhere.
 */

/** A database as it is recognized: `line` stands for its identity, `tick` counts while it is written to. */
type Recognizable = { line: number; tick: number /** The highest epoch that was met in it. */; reached: number };

export type CardDatabase = Recognizable & {
  workstream: number;
  last: number;
  through: number;
  /** The epoch of the range. */
  epoch: number;
  closed: number;
};

export type IdentifierDatabase = Recognizable & {
  /** Whether the workstream exists; the rest is kept for a prefix whose workstream was lost, too. */
  made: number;
  workstream: number;
  through: number;
  /** The numbers of the epoch begin above it. */
  base: number;
  epoch: number;
  closing: number;
  archived: number;
  /** The number behind which new workstreams begin where it is unknown what was issued. */
  newBegins: number;
};

/** The key `lineage`; only zeros where the register lacks it. A witness of line 0 is none. */
type Lineage = { epoch: number; card: Witness; identifier: Witness };
type Witness = { line: number; tick: number };

/** The key `mark` of the prefix; workstream 0 where the register lacks it. */
export type Mark = { workstream: number; through: number; base: number; epoch: number };

/** A process, and what it remembers of its last meeting. */
export type Process = {
  /** The living database that it is connected to: 0, or 1 for the old primary of a split brain. */
  at: number;
  /** Whether it met the database of its present connections. */
  met: number;
  /** Where databases tick: 1 once it was compared with the register, 2 once the tick rose after that. */
  compared: number;
  line: number;
  tick: number;
  epoch: number;
  /** During a meeting: the lineage as it was read; else empty. */
  read: number[];
};

export type State = {
  /** The living ones: one each, or the promoted and the old primary. */
  cards: CardDatabase[];
  identifiers: IdentifierDatabase[];
  lineage: Lineage;
  mark: Mark;
  issuers: Process[];
  granters: Process[];
  messages: string[];
  /** Earlier states to which the databases may be rolled back. */
  earlierCards: string[];
  earlierIdentifiers: string[];
  /** The state that the card service's database was last rolled back to. */
  cameBack: string;
  /** Every number that was ever answered. */
  issued: number[];
  /** Numbers that were answered after the archive, in its epoch or a later one. */
  afterArchive: number;
  /** The epoch in which the range was closed when the archive was answered. */
  archivedIn: number;
  /** Most workstreams that one prefix had in the card service's database at once. */
  twoWorkstreams: number;
  rollbacks: number;
  wipes: number;
  /** How many times databases were rolled back and the register was lost, while everything was stopped. */
  losses: number;
  /** The highest line so far, likewise for workstreams and epochs. */
  lines: number;
  workstreams: number;
  epochs: number;
};

/** The possible events and their limits. */
export interface World {
  /** Processes of the card service. */
  issuers: number;
  /** Processes of the identifier service that meet its database. Grants need none, as all of them do the same. */
  granters: number;
  /** Databases that may be rolled back, alone or together. */
  rollingBack: readonly ('cards' | 'identifiers')[];
  rollbacks: number;
  /** How many earlier states a database may be rolled back to: the first ones that differ. */
  earlier: number;
  /** The old state of a rolled back database stays alive, with the processes that are connected to it. */
  split: boolean;
  /** A database that is rolled back keeps its identity: only its tick shows it. */
  sameIdentity: boolean;
  /** Even to a younger state than the last tick, which cannot be detected unless it came back before. */
  withinTick?: boolean;
  wipes: number;
  /** Restores of everything into an empty stack, each of a backup made since the last one. */
  losses: number;
  /** Other workstreams issue numbers, so their databases are not those of a new system. */
  others: boolean;
  /** The workstream does not exist at first. */
  remade: boolean;
  archive: boolean;
  /** Whether requests may arrive late and again, or only at once or never. */
  lateAsks: boolean;
  /** Most issued numbers. */
  issues: number;
  epochs: number;
  ticks: number;
}

export const grantSize = 2;
/** The margin where it is unknown which numbers were issued: more than there are. */
export const margin = 8;

export const initialState = (world: World): State => {
  const made = world.remade ? 0 : 1;
  const process = { at: 0, met: 0, compared: 0, line: 0, tick: 0, epoch: 0, read: [] };
  const database = { line: 1, tick: 0, reached: 1 };
  const witness = { line: 1, tick: 0 };
  return {
    cards: [{ ...database, workstream: 0, last: 0, through: 0, epoch: 1, closed: 0 }],
    identifiers: [
      { ...database, made, workstream: made, through: 0, base: 0, epoch: made, closing: 0, archived: 0, newBegins: 0 },
    ],
    lineage: { epoch: 1, card: witness, identifier: witness },
    mark: { workstream: made, through: 0, base: 0, epoch: made },
    issuers: Array.from({ length: world.issuers }, () => process),
    granters: Array.from({ length: world.granters }, () => process),
    messages: [],
    earlierCards: [],
    earlierIdentifiers: [],
    cameBack: '',
    issued: [],
    afterArchive: 0,
    archivedIn: 0,
    twoWorkstreams: 0,
    rollbacks: 0,
    wipes: 0,
    losses: 0,
    lines: 1,
    workstreams: made,
    epochs: 1,
  };
};

const remember = (earlier: string[], database: Recognizable, most: number): void => {
  if (earlier.length >= most) return;
  const { line: _, ...rest } = database;
  const text = JSON.stringify(rest);
  if (!earlier.includes(text)) earlier.push(text);
  earlier.sort();
};

const mayRollBack = (state: State, world: World) => state.rollbacks < world.rollbacks || state.losses < world.losses;

/** Called before each write of a database that may be rolled back to its present state. */
export const keepCard = (state: State, world: World, at: number): void => {
  if (at === 0 && mayRollBack(state, world) && world.rollingBack.includes('cards'))
    remember(state.earlierCards, state.cards[at] as CardDatabase, world.earlier);
};
export const keepIdentifier = (state: State, world: World, at: number): void => {
  if (at === 0 && mayRollBack(state, world) && world.rollingBack.includes('identifiers'))
    remember(state.earlierIdentifiers, state.identifiers[at] as IdentifierDatabase, world.earlier);
};

type Words = readonly [string, ...number[]];
const words = new Map<string, Words>();

/** The parts of a message: its name and numbers. */
export const wordsOf = (message: string): Words => {
  let known = words.get(message);
  if (!known) {
    const [what = '', ...numbers] = message.split(' ');
    known = [what, ...numbers.map(Number)];
    words.set(message, known);
  }
  return known;
};
