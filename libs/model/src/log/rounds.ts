import { copy, type Step } from '../explore.ts';
import type { Mutant } from './mutants.ts';
import { planOf } from './plans.ts';
import { type Instance, keep, type Log, latestOf, type Owner, resetBase, type State, type World } from './state.ts';
import { endRound } from './trouble.ts';

/** An instance reads the log, pulls one feed and then the other, raises the mark, and appends. */
export const roundSteps = (state: State, world: World, mutant: Mutant, step: Step<State>): void => {
  state.instances.forEach(({ met, known, row, pulled, planned }, index) => {
    if (met !== state.line) return;
    // Who knows an earlier epoch may be faster again and again, but sooner or later he looks.
    const isLate = known.epoch < state.register.epochs.epoch && state.log.events.length > 3 * world.changes;
    if (row.length === 0 && isLate) return;
    const each = (label: string, change: (draft: State, own: Instance) => unknown) =>
      step(`instance ${index + 1} ${label}`, (draft) => change(draft, draft.instances[index] as Instance));
    if (row.length === 0)
      each('reads the log', (draft, own) => {
        own.since = [own.known];
        own.row = [copy(draft.log)];
        if (world.atOnce) for (const _ of draft.owners) pull(draft, own, mutant);
      });
    else if (pulled.length < 2) each(`pulls of owner ${pulled.length + 1}`, (draft, own) => pull(draft, own, mutant));
    else if (planned.length === 0)
      each('plans', (draft, own) => {
        const plan = planOf(draft, own, world, mutant);
        if (plan) own.planned = [plan];
        else endRound(own);
      });
    else {
      each('appends', (draft, own) => append(draft, own, world, mutant));
      if (mutant === 'markAfter')
        each('appends, and crashes before the mark', (draft, own) => append(draft, own, world, mutant, false));
    }
  });
};

/** Where a writer is in the middle nothing can come that is noted before its last change. */
const pull = ({ owners, clock }: State, { pulled }: Instance, mutant: Mutant): void => {
  const owner = owners[pulled.length] as Owner;
  const { line, feed, purged, pending } = owner;
  const completeTo = pending && mutant !== 'unlockedPull' ? latestOf(owner) : clock;
  pulled.push({ line, feed: [...feed], purged, completeTo });
};

const append = (state: State, own: Instance, world: World, mutant: Mutant, isMarked = true): void => {
  const [before, log] = [own.row[0], own.planned[0]] as [Log, Log];
  const isSame = JSON.stringify(before) === JSON.stringify(state.log);
  endRound(own);
  if (!isSame && mutant !== 'rowNotCompared') return;
  keep(state, world);
  const from = state.log.events.length;
  const events = [...state.log.events, ...log.events.slice(before.events.length)];
  state.log = { ...log, events };
  if (isMarked) state.register.through = Math.max(state.register.through, log.through);
  events.forEach((event, at) => {
    if (at >= from && event > 0) tell(state, at, event);
  });
};

/** From here on everybody may read it. */
const tell = (state: State, at: number, event: number): void => {
  const { told, ownerRollbacks } = state;
  while (told.length <= at) told.push(0);
  if (told[at] && told[at] !== event) state.twice = 1;
  if (event < resetBase && ownerRollbacks === 0 && told.some((one, other) => one === event && other !== at))
    state.renumbered = 1;
  told[at] = event;
};
