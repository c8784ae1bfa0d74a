import { type Step, send } from '../explore.ts';
import type { Mutant } from './mutants.ts';
import { hasNumber, highestOf, type Import, isMet, numberOf, phase, type State, type World } from './state.ts';

/** An import: prepare at the identifier service, commit, record, answer; and changes of adopted cards. */
export const importingSteps = (state: State, world: World, mutant: Mutant, step: Step<State>): void => {
  state.imports.forEach((own, index) => {
    const batch = world.imports[index] ?? [];
    const each = (label: string, change: (draft: State, own: Import) => unknown) =>
      step(`import ${index + 1} ${label}`, (draft) => change(draft, draft.imports[index] as Import));
    if (own.phase === phase.idle && isMet(state)) each('asks', (draft, own) => ask(draft, own, batch, mutant));
    if (own.phase === phase.asked && isMet(state))
      each('is committed', (draft, own) => commit(draft, own, index, { world, mutant }));
    if (own.phase === phase.committed) each('is answered', (draft, own) => answer(draft, own, mutant));
    // The process dies, or its answer is lost: the same request comes again. After a rollback the whole import does.
    const again = own.phase === phase.asked || own.phase === phase.committed;
    if (again || (own.phase === phase.answered && state.rollbacks > 0 && !state.opened))
      each('begins again', (_, own) => Object.assign(own, { phase: phase.idle, epoch: 0, taken: [], made: [] }));
  });
  if (isMet(state)) record(state, world, step);
  if (world.deletes && (!state.card.adopting || state.card.closed || mutant === 'purgeWhileAdopting'))
    step('recorded ones are purged', ({ card }) => {
      card.issued = card.issued.filter((one) => !card.recorded.includes(one));
      card.recorded = [];
    });
  if (world.deletes && !state.deleted)
    for (const binding of state.card.cards)
      step(`the card of ${binding} is deleted`, (draft) => {
        draft.deleted = 1;
        draft.card.cards = without(draft.card.cards, binding);
      });
};

const without = (bindings: readonly string[], binding: string) => bindings.filter((one) => one !== binding);

/** As a grant: the mark by compare and set, then the row, then the answer with what the ledger has. */
const ask = (draft: State, own: Import, batch: readonly string[], mutant: Mutant): unknown => {
  const { identifier, mark, epoch } = draft;
  if (!identifier.made || identifier.opening || identifier.closing) return false;
  const highest = highestOf(batch);
  const isRaised = mark.epoch === epoch && mark.through >= highest;
  // A process that need not write the mark may know an older one.
  const isAdopting = identifier.adopting && !identifier.archived && (isRaised || mark.adopting || mark.through === 0);
  if (!isAdopting) return Object.assign(own, { phase: phase.answered });
  if (mutant !== 'markUnraised') {
    const base = epoch > mark.epoch ? Math.max(mark.through, identifier.through) : mark.base;
    const through = Math.max(mark.through, identifier.through, highest);
    if (!isRaised) draft.mark = { known: 1, adopting: 1, through, base, epoch };
    if (mutant !== 'rowUnraised') Object.assign(identifier, { through, base, epoch });
  }
  const taken = mutant === 'ledgerUnasked' ? [] : batch.filter((one) => hasNumber(identifier.ledger, one));
  return Object.assign(own, {
    phase: phase.asked,
    epoch,
    taken: taken.filter((one) => !identifier.ledger.includes(one)),
  });
};

/** One transaction, which locks the workstream's row and checks its flags. */
const commit = (
  draft: State,
  own: Import,
  index: number,
  { world, mutant }: { world: World; mutant: Mutant },
): unknown => {
  const batch = world.imports[index] ?? [];
  const { card } = draft;
  // For a workstream that the card database has as a plain one.
  if (world.isDefault && !card.opened && !card.closed && card.through === 0) card.adopting = 1;
  if (own.epoch !== draft.epoch && mutant !== 'epochUncompared')
    return Object.assign(own, { phase: phase.idle, epoch: 0, taken: [] });
  const refused = (!card.adopting && mutant !== 'adoptWhileOpen') || (card.closed === 1 && mutant !== 'archiveUnseen');
  const isRepeated = card.commands.includes(index);
  if (refused && !isRepeated) return Object.assign(own, { phase: phase.answered, taken: [] });
  own.phase = phase.committed;
  own.made = isRepeated
    ? batch.filter((one) => card.issued.includes(one) || draft.identifier.ledger.includes(one))
    : [];
  if (isRepeated) return true;
  card.commands.push(index);
  card.commands.sort();
  for (const binding of batch) {
    const isTaken = own.taken.includes(binding) || hasNumber(card.issued, binding) || hasNumber(card.cards, binding);
    if (isTaken) continue;
    // A rollback may forget an opening before which nothing was issued.
    if (draft.opened && draft.rollbacks === 0) draft.wrong = ['adopted after the opening was answered'];
    if (draft.archived) draft.wrong = ['adopted after the archive was answered'];
    send(card.issued, binding);
    send(card.cards, binding);
    own.made.push(binding);
    if (mutant !== 'counterBehind' && mutant !== 'counterOfCards') card.last = Math.max(card.last, numberOf(binding));
  }
  return true;
};

const answer = (draft: State, own: Import, mutant: Mutant): unknown => {
  const isRecorded = own.made.every((one) => draft.identifier.ledger.includes(one));
  if (!isRecorded && mutant !== 'answerUnrecorded') return false;
  for (const one of own.made) send(draft.answered, one);
  return Object.assign(own, { phase: phase.answered, epoch: 0, taken: [], made: [] });
};

/**
 * The ledger receives everything that is left over. The mark of that is a step of its own, which may not happen, and
 * matters only where rows are purged. `doctor` fills a ledger that was rolled back.
 */
const record = ({ card, identifier }: State, { deletes }: World, step: Step<State>): void => {
  if (!card.issued.every((one) => identifier.ledger.includes(one)))
    step('the ledger takes what was issued', (draft) => {
      const { ledger } = draft.identifier;
      for (const one of draft.card.issued) {
        if (!ledger.includes(one) && hasNumber(ledger, one)) draft.wrong = ['the ledger has it for another card'];
        send(ledger, one);
      }
    });
  if (deletes)
    step('what the ledger has is marked', ({ card, identifier }) => {
      card.recorded = card.issued.filter((one) => identifier.ledger.includes(one));
    });
};
