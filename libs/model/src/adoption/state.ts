/**
 * One adopting workstream, from its creation to its opening or archive: the card database with its counter and
 * `issued`, the identifier database with the ledger, and the register outside of both. The workstream's other rules,
 * and how a process meets its database, are in `numbering.ts` and `lineage/`.
 */

/** `issued` and `ledger` list bindings: a number and its card. */
export type CardDatabase = {
  line: number;
  adopting: number;
  closed: number;
  /** Whether adopting ended for good, and the last number then. */
  opened: number;
  adoptedThrough: number;
  last: number;
  through: number;
  epoch: number;
  issued: string[];
  /** Rows of `issued` that the ledger is known to have. */
  recorded: string[];
  /** The existing cards, by their bindings. */
  cards: string[];
  /** Imports with a stored answer. */
  commands: number[];
};

export type IdentifierDatabase = {
  line: number;
  made: number;
  adopting: number;
  /** The intents. */
  opening: number;
  closing: number;
  archived: number;
  through: number;
  base: number;
  epoch: number;
  /** For the default workstream: whether its first number was requested. */
  asked: number;
  ledger: string[];
};

/** The register's key `mark`; its `adopting` becomes false once, with the opening. */
type Mark = { known: number; adopting: number; through: number; base: number; epoch: number };

export const phase = { idle: 0, asked: 1, committed: 2, answered: 3 } as const;

/** The steps of a request that makes the default workstream adopt, and of its first grant. */
export const beginning = { idle: 0, marked: 1, adopts: 2, refused: 3 } as const;
export const granting = { idle: 0, looked: 1, marked: 2 } as const;

/** An importer with one batch, which it repeats until it has an answer. */
export type Import = {
  phase: number;
  /** The epoch of its preparation. */
  epoch: number;
  /** Identifiers that the ledger has for other cards. */
  taken: string[];
  made: string[];
};

export type State = {
  card: CardDatabase;
  identifier: IdentifierDatabase;
  /** The epoch and the line of the card database that the process knows. */
  epoch: number;
  known: number;
  mark: Mark;
  imports: Import[];
  /** For the default workstream. */
  begins: number;
  /** The line of the identifier database of that step. */
  beganOn: number;
  grants: number;
  grantsOn: number;
  /** The message that is sent once the grant is in the row. */
  granted: string;
  openings: number;
  messages: string[];
  /** Backups, to which a database may be rolled back; empty where there is none. */
  cardBackup: string;
  identifierBackup: string;
  /** Every binding that was ever answered. */
  answered: string[];
  opened: number;
  archived: number;
  deleted: number;
  issues: number;
  rollbacks: number;
  wipes: number;
  lines: number;
  /** Violations that happened. */
  wrong: string[];
};

export interface World {
  /** The batches: bindings, some of them in several. */
  imports: readonly (readonly string[])[];
  /** Numbers that are issued after the opening. */
  issues: number;
  /** The number at which the opening begins; 0 for "above the highest". */
  next: number;
  opens: boolean;
  archives: boolean;
  /** Cards are deleted, and rows of `issued` purged. */
  deletes: boolean;
  /** The workstream does not exist at first: a rollback may lose it. */
  remade: boolean;
  /** It is the default one: it exists from the beginning, and adopts on a request before its first number. */
  isDefault: boolean;
  rollingBack: readonly ('cards' | 'identifiers')[];
  rollbacks: number;
  /** Both databases are on one server: they are rolled back together, to one point in time. */
  together: boolean;
  wipes: number;
}

export const initialState = ({ imports, remade, isDefault }: World): State => {
  const made = remade ? 0 : 1;
  const adopting = isDefault ? 0 : made;
  return {
    card: {
      ...{
        line: 1,
        adopting: isDefault ? 0 : 1,
        closed: 0,
        opened: 0,
        adoptedThrough: 0,
        last: 0,
        through: 0,
        epoch: 1,
      },
      issued: [],
      recorded: [],
      cards: [],
      commands: [],
    },
    identifier: {
      line: 1,
      made,
      adopting,
      opening: 0,
      closing: 0,
      archived: 0,
      through: 0,
      base: 0,
      epoch: 1,
      asked: 0,
      ledger: [],
    },
    epoch: 1,
    known: 1,
    mark: { known: made, adopting, through: 0, base: 0, epoch: 1 },
    imports: imports.map(() => ({ phase: phase.idle, epoch: 0, taken: [], made: [] })),
    begins: 0,
    beganOn: 0,
    grants: 0,
    grantsOn: 0,
    granted: '',
    openings: 0,
    messages: [],
    cardBackup: '',
    identifierBackup: '',
    answered: [],
    opened: 0,
    archived: 0,
    deleted: 0,
    issues: 0,
    rollbacks: 0,
    wipes: 0,
    lines: 1,
    wrong: [],
  };
};

export const numberOf = (binding: string): number => Number.parseInt(binding, 10);
export const highestOf = (bindings: readonly string[]): number => Math.max(0, ...bindings.map(numberOf));
/** Whether the list has the number of a binding. */
export const hasNumber = (bindings: readonly string[], binding: string): boolean =>
  bindings.some((one) => numberOf(one) === numberOf(binding));

/** Whether a process of the card service has met the current database. */
export const isMet = ({ card, known }: State): boolean => card.line === known;
