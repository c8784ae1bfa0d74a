import { type Step, send } from '../explore.ts';
import type { Mutant } from './mutants.ts';
import { beginning, highestOf, isMet, type State, type World } from './state.ts';

const grantSize = 1;

/** The workstream is created, opened or archived, and numbers are granted and issued. */
export const openingSteps = (state: State, world: World, mutant: Mutant, step: Step<State>): void => {
  const { identifier } = state;
  const isIdle = identifier.made && !identifier.opening && !identifier.closing && !identifier.archived;
  if (!identifier.made) make(state, mutant, step);
  if (world.opens && isIdle && identifier.adopting)
    step('an opening begins', (draft) => {
      draft.openings = 1;
      if (mutant === 'openUnasked') draft.identifier.adopting = 0;
      else draft.identifier.opening = 1;
    });
  if (identifier.made && !identifier.adopting && !state.opened && (state.openings || !world.isDefault))
    step('the opening is answered', (draft) => {
      draft.opened = 1;
    });
  if (identifier.opening && isMet(state)) step('the flag is closed', (draft) => closeFlag(draft, world, mutant));
  if (world.archives && isIdle)
    step('an archive begins', (draft) => {
      draft.identifier.closing = 1;
    });
  if (identifier.closing && isMet(state))
    step('the range is closed', (draft) => {
      draft.card.closed = 1;
      return send(draft.messages, `closed ${draft.epoch}`);
    });
  if (identifier.archived && !state.archived)
    step('the archive is answered', (draft) => {
      draft.archived = 1;
    });
  if (mutant === 'lateFlag')
    step('an event comes late', ({ card }) => {
      card.adopting = 1;
    });
  if (isMet(state)) issue(state, world, mutant, step);
  for (const message of state.messages) deliver(message, mutant, step);
};

/** The register first: it keeps the id and whether the workstream adopts, so it is created again as it was. */
const make = ({ mark }: State, mutant: Mutant, step: Step<State>): void => {
  for (const adopting of [1, 0]) {
    const isSame = !mark.known || mark.adopting === adopting || mark.through === 0;
    const isTried = adopting === 1 || mark.known === 1;
    if (isTried && (isSame || mutant === 'remadeOtherwise'))
      step(`the workstream is made, ${adopting ? '' : 'not '}adopting`, (draft) => {
        if (!mark.known || isSame || adopting) Object.assign(draft.mark, { known: 1, adopting });
        Object.assign(draft.identifier, { made: 1, adopting });
      });
  }
};

const issue = (state: State, world: World, mutant: Mutant, step: Step<State>): void => {
  const { card, epoch } = state;
  if (state.issues === world.issues || card.closed) return;
  if (!card.adopting && card.epoch === epoch && card.last < card.through)
    step(`${card.last + 1} is issued`, (draft) => {
      draft.issues += 1;
      draft.card.last += 1;
      const binding = `${draft.card.last} new${draft.issues}`;
      if (draft.mark.adopting && mutant !== 'grantUnmarked') draft.wrong = ['issued while adopting'];
      // A rollback may forget that it adopts before anything was adopted.
      const isKnown = draft.rollbacks === 0 || draft.answered.length > 0;
      if (draft.begins === beginning.adopts && !draft.openings && isKnown)
        draft.wrong = ['issued though it was answered that it adopts'];
      if (highestOf([...draft.card.issued, ...draft.card.cards]) >= draft.card.last)
        draft.wrong = ['one identifier, two cards'];
      send(draft.card.issued, binding);
      send(draft.card.cards, binding);
      send(draft.answered, binding);
    });
  else if (!world.isDefault && (!card.adopting || mutant !== 'flagRefuses'))
    step('a create asks', (draft) => grant(draft, mutant));
};

const deliver = (message: string, mutant: Mutant, step: Step<State>): void => {
  const [what = '', ...numbers] = message.split(' ');
  const [epoch = 0, first = 0, second = 0, third = 0, fourth = 0] = numbers.map(Number);
  const on = (name: string, change: (draft: State) => unknown) => {
    if (what === name) step(message, change);
  };
  const hasMet = (draft: State) => isMet(draft) && draft.epoch === epoch;
  on('opened', ({ identifier, mark }) => {
    if (!identifier.opening) return false;
    const base = baseIn(epoch, identifier, mark);
    return Object.assign(identifier, { adopting: 0, opening: 0, asked: 1, through: first, epoch, base });
  });
  on('closed', ({ identifier }) => identifier.closing === 1 && Object.assign(identifier, { archived: 1, closing: 0 }));
  on('granted', (draft) => hasMet(draft) && apply(draft, [epoch, first, second, third, fourth], mutant));
};

/** Ends adopting for good in the card database. The counter is above everything that was adopted. */
const closeFlag = (draft: State, { next }: World, mutant: Mutant): unknown => {
  const { card } = draft;
  const above = baseIn(draft.epoch, draft.identifier, draft.mark);
  if (!card.opened) {
    if (mutant === 'counterOfCards') card.last = highestOf(card.cards);
    card.last = Math.max(card.last, mutant === 'aboveForgotten' ? 0 : above, next - 1);
    if (mutant === 'counterOfMark') card.last = Math.max(card.last, draft.mark.through);
    if (mutant === 'aboveForgotten') card.epoch = draft.epoch;
    Object.assign(card, { adopting: 0, opened: 1, adoptedThrough: card.last });
  }
  return send(draft.messages, `opened ${draft.epoch} ${card.adoptedThrough}`);
};

type Known = Pick<State['mark'], 'through' | 'base' | 'epoch'>;

/** The base of an epoch: its numbers begin above everything that was granted or adopted in earlier ones. */
const baseIn = (epoch: number, identifier: Known, mark: Known): number => {
  const known = identifier.epoch > mark.epoch ? identifier : mark;
  return epoch > known.epoch ? Math.max(identifier.through, mark.through) : known.base;
};

/** The grant of `lineage/numbers.ts`. Its mark shows that the workstream adopts no more. */
const grant = (draft: State, mutant: Mutant): unknown => {
  const granted = grantOf(draft, mutant);
  if (!granted) return false;
  draft.mark = granted.mark;
  Object.assign(draft.identifier, granted.range);
  return send(draft.messages, granted.message);
};

/** What a grant writes and sends; undefined where there is none. */
export const grantOf = (state: State, mutant: Mutant) => {
  const {
    identifier,
    mark,
    epoch,
    card: { last },
  } = state;
  const { made, adopting, opening, closing, archived } = identifier;
  if (!made || opening || closing || archived) return undefined;
  if (adopting && mutant !== 'grantWhileAdopting') return undefined;
  if (epoch < Math.max(identifier.epoch, mark.epoch)) return undefined;
  const before = Math.max(mark.through, identifier.through);
  const base = baseIn(epoch, identifier, mark);
  const through = Math.max(before, Math.max(last, base) + grantSize);
  if (through > maxNumber) return undefined;
  return {
    mark: { known: 1, adopting: mutant === 'grantUnmarked' ? mark.adopting : adopting, through, base, epoch },
    range: { through, base, epoch },
    message: `granted ${epoch} ${base} ${before} ${highestOf(identifier.ledger)} ${through}`,
  };
};

const maxNumber = 9;

/**
 * As `applyGrant` of the card service. A grant shows that the workstream was opened, which the database may have
 * forgotten.
 */
const apply = ({ card }: State, granted: readonly number[], mutant: Mutant): unknown => {
  const [epoch = 0, base = 0, before = 0, highest = 0, through = 0] = granted;
  if (epoch < card.epoch || card.closed) return false;
  const begins = epoch > card.epoch;
  const isRolledBack = !begins && card.last < highest && mutant !== 'counterBehind';
  const last = begins ? Math.max(card.last, base) : isRolledBack ? Math.max(before, highest) : card.last;
  return Object.assign(card, { adopting: 0, last, through: begins ? through : Math.max(card.through, through), epoch });
};
