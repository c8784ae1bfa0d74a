import { copy, type Step } from '../explore.ts';
import type { Mutant } from './mutants.ts';
import { planOf } from './plans.ts';
import { type Instance, keep, type Log, latestOf, type Owner, resetBase, type State, type World } from './state.ts';
import { endRound } from './trouble.ts';

/** An instance reads the log, pulls one feed and then the other, raises the mark, and appends. */
export const roundSteps = (state: State, world: World, mutant: Mutant, step: Step<State>): void => {
  state.instances.forEach(({ met, known, row, pulled, planned }, index) => {
    if (met !== state.line) return;
    // An instance in an earlier epoch may be faster again and again, but at some time it looks.
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

/** With an open writer, no change can come later whose time is before its last one. */
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
    if (at >= from && event > 0) show(state, at, event);
  });
};

/** From here on every reader may see it. */
const show = (state: State, at: number, event: number): void => {
  const { shown, ownerRollbacks } = state;
  while (shown.length <= at) shown.push(0);
  if (shown[at] && shown[at] !== event) state.twice = 1;
  if (event < resetBase && ownerRollbacks === 0 && shown.some((one, other) => one === event && other !== at))
    state.renumbered = 1;
  shown[at] = event;
};
