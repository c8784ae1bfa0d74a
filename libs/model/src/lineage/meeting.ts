import type { Step } from '../explore.ts';
import type { Mutant } from './mutants.ts';
import { laterOf } from './numbers.ts';
import { type CardDatabase, type IdentifierDatabase, margin, type Process, type State, type World } from './state.ts';

type Kind = 'card' | 'identifier';

const processesOf = (state: State, kind: Kind) => (kind === 'card' ? state.issuers : state.granters);
const databasesOf = (state: State, kind: Kind): (CardDatabase | IdentifierDatabase)[] =>
  kind === 'card' ? state.cards : state.identifiers;

const readLineage = ({ lineage: { epoch, card, identifier } }: State): number[] => [
  epoch,
  card.line,
  card.tick,
  identifier.line,
  identifier.tick,
];

/** How processes recognize their database and update the register's witness of it. */
export const meetingSteps = (state: State, world: World, mutant: Mutant, step: Step<State>): void => {
  for (const kind of ['card', 'identifier'] as const) {
    processesOf(state, kind).forEach((process, index) => {
      const each = (label: string, change: (draft: State, process: Process) => unknown) =>
        step(`${kind} ${index + 1} ${label}`, (draft) => change(draft, processesOf(draft, kind)[index] as Process));
      if (process.compared) raise(process, state, world, each);
      else if (!process.met) meet(kind, process, world, mutant, each);
      else keepWitness(kind, process, state, world, mutant, each);
      each('restarts', (_, own) => Object.assign(own, { met: 0, compared: 0, line: 0, tick: 0, epoch: 0, read: [] }));
      // The register refuses an older epoch; the database is then met again.
      if (process.met && state.lineage.epoch > process.epoch)
        each('hears of a later epoch', (_, own) => {
          own.met = 0;
        });
      if (state[kind === 'card' ? 'cards' : 'identifiers'].length > 1)
        each('is sent to the other primary', (_, own) =>
          Object.assign(own, { at: 1 - own.at, met: 0, compared: 0, read: [] }),
        );
    });
  }
};

type Each = (label: string, change: (draft: State, process: Process) => unknown) => void;

/**
 * Reads the register, then the database. With ticks these are two steps. A database of another identity cannot become
 * one of its former identity in between.
 */
const meet = (kind: Kind, { read }: Process, world: World, mutant: Mutant, each: Each): void => {
  if (world.ticks === 0)
    each('meets its database', (draft, own) => {
      own.read = readLineage(draft);
      return compare(kind, draft, own, world, mutant);
    });
  else if (read.length === 0)
    each('reads the register', (draft, own) => {
      own.read = readLineage(draft);
    });
  else each('reads its database', (draft, own) => compare(kind, draft, own, world, mutant));
};

const compare = (kind: Kind, state: State, own: Process, world: World, mutant: Mutant): unknown => {
  const [epoch = 0, ...ticks] = own.read;
  const [line, tick] = ticks.slice(kind === 'card' ? 0 : 2) as [number, number];
  const database = databasesOf(state, kind)[own.at] as CardDatabase | IdentifierDatabase;
  // Where the register was lost, this process restores what it remembers.
  const witness = line ? { line, tick } : { line: own.line, tick: own.tick };
  const differs = witness.line > 0 && (witness.line !== database.line || witness.tick > database.tick);
  const unknown =
    world.losses > 0 &&
    witness.line === 0 &&
    (world.others || hasIssued(state, kind, own.at)) &&
    mutant !== 'trustWithoutWitness';
  const isRolledBack = (differs && mutant !== 'noWitness') || unknown;
  const reached = mutant === 'epochNotKept' ? 0 : database.reached;
  // The counters are in the card database: where the other one was rolled back, the mark knows what was granted.
  const met = Math.max(epoch, reached, own.epoch) + (unknown || (isRolledBack && kind === 'card') ? 1 : 0);
  if (met > world.epochs) return false;
  const isMissing = world.losses > 0 && line === 0;
  if (isRolledBack || met > epoch || isMissing) {
    // One compare and set: after a write by another process everything is retried.
    if (own.read.some((value, at) => value !== readLineage(state)[at])) {
      own.read = [];
      return true;
    }
    if (unknown) setOn(state, kind, own.at, mutant);
    else if (isMissing && kind === 'identifier') state.mark = laterOf(state.mark, database as IdentifierDatabase);
    else if (isRolledBack && kind === 'identifier' && mutant !== 'marksNotReturned') returnMark(state, own.at);
    state.lineage.epoch = met;
    state.epochs = Math.max(state.epochs, met);
    if (isRolledBack || isMissing) state.lineage[kind] = { line: database.line, tick: database.tick };
    own.read = readLineage(state);
    if (world.ticks > 0) return true;
  }
  database.reached = Math.max(database.reached, met);
  const isMet = world.ticks === 0 || kind === 'identifier' || mutant === 'metBeforeTick';
  return Object.assign(own, {
    ...(isMet ? { met: 1 } : { compared: 1 }),
    line: database.line,
    tick: database.tick,
    epoch: met,
    read: [],
  });
};

/** The tick rises before the first number, in the database and then in the register. */
const raise = (
  { at, compared, line, tick }: Process,
  { cards, lineage: { card } }: State,
  world: World,
  each: Each,
): void => {
  const database = cards[at] as CardDatabase;
  if (compared === 2) {
    each('raises the witness, and has met its database', (draft, own) => {
      if (card.line === line) draft.lineage.card.tick = Math.max(card.tick, tick);
      Object.assign(own, { met: 1, compared: 0 });
    });
    return;
  }
  const isEarlier = database.tick < Math.max(tick, card.line === line ? card.tick : 0);
  if (isEarlier) each('begins again', (_, own) => Object.assign(own, { compared: 0 }));
  else if (database.tick < world.ticks)
    each('ticks before it has met its database', (draft, own) => {
      own.compared = 2;
      tickOn(draft, own);
    });
};

/** Whether numbers were granted or issued from it. */
const hasIssued = ({ cards, identifiers }: State, kind: Kind, at: number): boolean =>
  kind === 'card' ? (cards[at] as CardDatabase).through > 0 : (identifiers[at] as IdentifierDatabase).through > 0;

/** The counter skips a margin, and new workstreams begin above one; then the mark follows. */
const setOn = (state: State, kind: Kind, at: number, mutant: Mutant): void => {
  if (kind === 'card') {
    const card = state.cards[at] as CardDatabase;
    if (card.workstream > 0 && mutant !== 'cardNotSetOn') card.last += margin;
    card.through = card.last;
    return;
  }
  const database = state.identifiers[at] as IdentifierDatabase;
  database.through += margin;
  database.newBegins = mutant === 'newBeginsAlike' ? margin : database.newBegins + margin;
  if (database.made) state.mark = laterOf(state.mark, database);
};

/** A database that forgot it gets the register's mark, before the register has it as the known database. */
const returnMark = ({ mark, identifiers }: State, at: number): void => {
  const database = identifiers[at] as IdentifierDatabase;
  if (mark.workstream && mark.epoch >= database.epoch) Object.assign(database, mark);
};

const keepWitness = (
  kind: Kind,
  { at, line, tick }: Process,
  state: State,
  world: World,
  mutant: Mutant,
  each: Each,
): void => {
  const { lineage, mark } = state;
  const database = databasesOf(state, kind)[at] as CardDatabase | IdentifierDatabase;
  const witness = lineage[kind];
  if (world.ticks > 0 && kind === 'card') {
    if (mutant === 'witnessFirst') {
      if (database.tick < world.ticks && witness.tick === database.tick)
        each('raises the witness', (draft) => {
          draft.lineage.card.tick += 1;
        });
      if (database.tick < witness.tick) each('ticks', (draft, own) => tickOn(draft, own));
    } else {
      if (database.tick < world.ticks) each('ticks', (draft, own) => tickOn(draft, own));
      if (witness.line === line && witness.tick < tick)
        each('raises the witness', (draft, own) => {
          draft.lineage.card.tick = own.tick;
        });
    }
  }
  if (witness.line === 0) {
    const refills = kind === 'identifier' && mutant !== 'wipedForgotten';
    const isRefilled = !refills || isMarked(mark, database as IdentifierDatabase);
    if (isRefilled)
      each('writes the witness again', (draft, own) => {
        draft.lineage[kind] = { line: own.line, tick: own.tick };
        draft.lineage.epoch = Math.max(draft.lineage.epoch, own.epoch);
        // A grant takes no longer than its request may; the loss of the register is found later than that.
        if (kind === 'identifier') draft.messages = draft.messages.filter((message) => !message.startsWith('commit'));
      });
    else
      each('refills the marks', (draft) => {
        draft.mark = laterOf(draft.mark, draft.identifiers[at] as IdentifierDatabase);
      });
  }
};

/** Whether the register has what the database knows of the prefix. */
const isMarked = (mark: State['mark'], database: IdentifierDatabase): boolean =>
  database.workstream === 0 || (mark.workstream > 0 && mark.through >= database.through);

const tickOn = (state: State, own: Process): void => {
  const database = state.cards[own.at] as CardDatabase;
  database.tick += 1;
  own.tick = database.tick;
};
