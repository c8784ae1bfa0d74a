import { type Step, send } from '../explore.ts';
import type { Mutant } from './mutants.ts';
import {
  type CardDatabase,
  grantSize,
  type IdentifierDatabase,
  keepCard,
  keepIdentifier,
  type Mark,
  margin,
  type Process,
  type State,
  type World,
  wordsOf,
} from './state.ts';

/** Numbers are issued, requested and granted; the workstream is created and archived. */
export const numberSteps = (state: State, world: World, mutant: Mutant, step: Step<State>): void => {
  state.issuers.forEach((process, index) => {
    if (process.met) issue(state, world, mutant, index, step);
  });
  for (const message of state.messages) {
    state.identifiers.forEach((_, at) => {
      granting(world, mutant, message, at, step);
    });
    state.issuers.forEach((process, index) => {
      if (process.met) applying(world, mutant, message, index, step);
    });
  }
  for (const [at, { made, closing, archived }] of state.identifiers.entries()) {
    if (!made && at === 0) step('the workstream is made', (draft) => make(draft, world, mutant));
    if (world.archive && made && !closing && !archived)
      step('an archive begins', (draft) => {
        (draft.identifiers[at] as IdentifierDatabase).closing = 1;
      });
    if (closing) step('the range is to be closed', (draft) => send(draft.messages, `close ${draft.lineage.epoch}`));
  }
};

const cardOf = (state: State, { at }: Process) => state.cards[at] as CardDatabase;

const issue = (state: State, world: World, mutant: Mutant, index: number, step: Step<State>): void => {
  const process = state.issuers[index] as Process;
  const { epoch, last, through, closed } = cardOf(state, process);
  const counts = epoch === process.epoch || mutant === 'noEpoch';
  if (counts && last < through && !closed && state.issued.length < world.issues)
    step(`card ${index + 1} issues ${last + 1}`, (draft) => {
      keepCard(draft, world, process.at);
      cardOf(draft, process).last += 1;
      draft.issued.push(last + 1);
      draft.issued.sort((a, b) => a - b);
      if (draft.archivedIn && process.epoch >= draft.archivedIn) draft.afterArchive += 1;
    });
  if (!counts || last >= through) {
    if (world.lateAsks) step(`card ${index + 1} asks`, (draft) => send(draft.messages, `ask ${process.epoch} ${last}`));
    else
      state.identifiers.forEach((_, at) => {
        step(`card ${index + 1} asks, the mark`, (draft) => grant(draft, world, mutant, at, process.epoch, last));
      });
  }
};

/** The identifier service handles a message, at one of the living databases. */
const granting = (world: World, mutant: Mutant, message: string, at: number, step: Step<State>): void => {
  const [what, ...numbers] = wordsOf(message);
  if (what === 'ask') {
    const [epoch = 0, last = 0] = numbers;
    step(`${message}: the mark`, (draft) => grant(draft, world, mutant, at, epoch, last));
  }
  if (what === 'try') {
    const [line, epoch = 0, last = 0] = numbers;
    step(
      `${message}: the mark`,
      (draft) => line === draft.identifiers[at]?.line && raiseBlindly(draft, world, at, epoch, last),
    );
  }
  if (what === 'mark')
    step(message, (draft) => {
      draft.mark.through = Math.max(draft.mark.through, numbers[0] ?? 0);
    });
  if (what === 'commit') {
    const [line, epoch = 0, base = 0, through = 0] = numbers;
    step(message, (draft) => {
      if (draft.identifiers[at]?.line !== line) return false;
      return commit(draft, world, at, { epoch, base, through });
    });
  }
  if (what === 'insert') {
    const [line, workstream = 0, through = 0, base = 0, epoch = 0] = numbers;
    step(message, (draft) => {
      const database = draft.identifiers[at];
      if (!database || database.line !== line || database.made) return false;
      keepIdentifier(draft, world, at);
      const isKnown = database.workstream === workstream;
      const from = mutant === 'beginsInMark' ? { through: 0, base: 0, epoch: 0 } : { through, base, epoch };
      Object.assign(database, { made: 1, workstream, ...(!isKnown && from) });
    });
  }
  if (what === 'closed')
    step(message, (draft) => {
      const database = draft.identifiers[at];
      if (!database?.closing || database.archived) return false;
      Object.assign(database, { archived: 1, closing: 0 });
      draft.archivedIn = numbers[0] ?? 0;
    });
};

/** Raises the mark, in one compare and set with its reading. The database follows, then the answer. */
const grant = (state: State, world: World, mutant: Mutant, at: number, epoch: number, last: number): unknown => {
  const database = state.identifiers[at] as IdentifierDatabase;
  if (!database.made || database.closing || database.archived) return false;
  // A mark that the register lacks is taken from the database only where that is known not to be rolled back.
  if (world.losses > 0 && mutant !== 'grantUnmet') {
    if (!isMet(state, at, mutant === 'grantInOldEpoch' ? Number.POSITIVE_INFINITY : epoch)) return false;
  }
  if (mutant === 'markWithoutEpoch')
    return epoch === state.lineage.epoch && send(state.messages, `try ${database.line} ${epoch} ${last}`);
  const { workstream } = database;
  const known = mutant === 'noMark' ? database : laterOf(state.mark, database);
  if (epoch < known.epoch) return false;
  const begins = epoch > (mutant === 'markWithoutBase' ? database.epoch : known.epoch);
  const from = begins ? known.through : known.base;
  const upTo = Math.max(known.through, Math.max(last, from) + grantSize);
  if (upTo > highestOf(world)) return false;
  if (mutant !== 'noMark' && mutant !== 'markAfter') state.mark = { workstream, through: upTo, base: from, epoch };
  send(state.messages, `commit ${database.line} ${epoch} ${from} ${upTo}`);
  if (mutant === 'markAfter') send(state.messages, `mark ${upTo}`);
};

/** Whether a process of the identifier service met its database in that epoch or an earlier one. */
const isMet = ({ granters }: State, at: number, epoch: number): boolean =>
  granters.some((one) => one.met > 0 && one.at === at && one.epoch <= epoch);

/** The highest number that the model reads. */
const highestOf = ({ issues, losses }: World): number => issues + 2 * grantSize + margin * losses * (losses + 1);

/**
 * The register's and the database's knowledge together: the register may have been lost, and the database rolled back.
 */
export const laterOf = (mark: Mark, { workstream, through, base, epoch }: Mark): Mark => {
  const upTo = Math.max(mark.through, through);
  return mark.epoch >= epoch && mark.workstream
    ? { ...mark, through: upTo }
    : { workstream, through: upTo, base, epoch };
};

/** The mutant whose mark is a number alone. */
const raiseBlindly = (state: State, world: World, at: number, epoch: number, last: number): unknown => {
  const { line, ...database } = state.identifiers[at] as IdentifierDatabase;
  if (epoch < database.epoch) return false;
  const from = epoch > database.epoch ? Math.max(database.through, state.mark.through) : database.base;
  const upTo = Math.max(epoch > database.epoch ? 0 : database.through, Math.max(last, from) + grantSize);
  if (upTo > highestOf(world)) return false;
  state.mark.through = Math.max(state.mark.through, upTo);
  send(state.messages, `commit ${line} ${epoch} ${from} ${upTo}`);
};

const commit = (
  state: State,
  world: World,
  at: number,
  granted: { epoch: number; base: number; through: number },
): unknown => {
  const database = state.identifiers[at] as IdentifierDatabase;
  const { epoch, base, through } = granted;
  if (!database.made || database.closing || database.archived || epoch < database.epoch) return false;
  const begins = epoch > database.epoch;
  keepIdentifier(state, world, at);
  Object.assign(database, { epoch, base, through: begins ? through : Math.max(database.through, through) });
  send(state.messages, `granted ${epoch} ${base} ${database.through} ${database.workstream}`);
};

/** The card service handles a message. */
const applying = (world: World, mutant: Mutant, message: string, index: number, step: Step<State>): void => {
  const [what, epoch = 0, base = 0, through = 0, workstream = 0] = wordsOf(message);
  if (what === 'granted')
    step(`card ${index + 1} applies ${message}`, (draft) => {
      const process = draft.issuers[index] as Process;
      const card = cardOf(draft, process);
      const hasMet = mutant === 'grantWithoutMeeting' ? epoch >= process.epoch : epoch === process.epoch;
      if (!hasMet || epoch < card.epoch || card.closed) return false;
      keepCard(draft, world, process.at);
      if (card.workstream > 0 && card.workstream !== workstream) draft.twoWorkstreams += 1;
      card.workstream = workstream;
      process.epoch = epoch;
      if (epoch === card.epoch) {
        card.through = Math.max(card.through, through);
        return;
      }
      const last = mutant === 'keepCounter' ? card.last : Math.max(card.last, base);
      Object.assign(card, { last, through, epoch });
    });
  if (what === 'close')
    step(`card ${index + 1} applies ${message}`, (draft) => {
      const process = draft.issuers[index] as Process;
      const card = cardOf(draft, process);
      const hasMet = mutant === 'closeWithoutMeeting' ? epoch >= process.epoch : epoch === process.epoch;
      if (!hasMet || epoch < card.epoch) return false;
      keepCard(draft, world, process.at);
      card.closed = 1;
      send(draft.messages, `closed ${epoch}`);
    });
};

/** The register first: it keeps the id in case the database forgets it. */
const make = (state: State, world: World, mutant: Mutant): unknown => {
  const database = state.identifiers[0] as IdentifierDatabase;
  if (world.losses > 0 && !isMet(state, 0, Number.POSITIVE_INFINITY)) return false;
  const begins = mutant === 'marginOfNew' ? 0 : database.newBegins;
  const isNew = state.mark.workstream === 0 || mutant === 'freshIdForOldPrefix' || mutant === 'remadeFromZero';
  if (isNew) {
    if (state.workstreams > world.rollbacks + world.losses) return false;
    state.workstreams += 1;
    const keeps = mutant === 'freshIdForOldPrefix';
    state.mark = {
      ...(keeps ? state.mark : { through: begins, base: begins, epoch: begins > 0 ? state.lineage.epoch : 0 }),
      workstream: state.workstreams,
    };
  }
  const { workstream, through, base, epoch } = state.mark;
  send(state.messages, `insert ${database.line} ${workstream} ${through} ${base} ${epoch}`);
};
