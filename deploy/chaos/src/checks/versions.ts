import { checkOf, type History, type Report } from '../history.ts';
import { type Observation, type States, type Step, statesOf } from '../states.ts';
import { byStart, Latest } from '../view.ts';

// A history of one register is linearizable if some order of its operations explains all answers and respects real time;
// to find one is hard in general (Porcupine, Knossos search for it). Here every answer names the version that it speaks
// of, and versions only rise: the order is given, and what remains can be looked at in one pass. That is stronger, too:
// an order that only hides a lost update does not pass.

/** Makes a check that looks at each resource by itself. */
const ofEach = (look: (states: States, report: Report) => number) => (history: History, report: Report) =>
  statesOf(history)
    .map((states) =>
      look(states, (message, ...exchanges) => report(`${states.type} ${states.id} ${message}`, ...exchanges)),
    )
    .reduce((sum, looked) => sum + looked, 0);

/** A version is one representation, for every reader. */
export const oneRepresentation = checkOf(
  'a version has one representation',
  ofEach(({ observations }, report) => {
    const firsts = new Map<number, Observation>();
    const reported = new Set<number>();
    for (const one of observations) {
      if (one.digest === undefined) continue;
      const first = firsts.get(one.version) ?? one;
      firsts.set(one.version, first);
      if (first.digest === one.digest || reported.has(one.version)) continue;
      reported.add(one.version);
      report(`has two representations in version ${one.version}`, first.exchange, one.exchange);
    }
    return observations.length;
  }),
);

/** A read that begins after an answer sees the version in that answer, or a later one. */
export const neverBack = checkOf(
  'a later read sees no earlier version',
  ofEach(({ observations }, report) => {
    const ended = new Latest(observations, ({ version }) => version);
    for (const one of byStart(observations)) {
      const before = ended.before(one.start);
      if (!before || before.version <= one.version) continue;
      report(
        `was in version ${one.version} after it had been in version ${before.version}`,
        before.exchange,
        one.exchange,
      );
    }
    return observations.length;
  }),
);

const changed = ({ from, to }: Step) => to > from;

/** `If-Match` accepts one write of each version, and none after an answer with a later version. */
export const oneWriteEach = checkOf(
  'a version is overwritten once',
  ofEach(({ observations, steps }, report) => {
    const byVersion = steps.filter(changed).sort((a, b) => a.from - b.from);
    for (const [at, step] of byVersion.entries()) {
      const next = byVersion[at + 1];
      if (!next || next.from >= step.to) continue;
      report(`had version ${next.from} overwritten by two acknowledged writes`, step.exchange, next.exchange);
    }
    const ended = new Latest(observations, ({ version }) => version);
    const byBeginning = [...steps].sort((a, b) => a.write.start - b.write.start);
    for (const { write, from, exchange } of byBeginning) {
      const before = ended.before(write.start);
      if (before && before.version > from)
        report(
          `accepted a write of version ${from} after it had been seen in version ${before.version}`,
          before.exchange,
          exchange,
        );
    }
    return steps.length;
  }),
);

/** How far one write raises the version (CONTRACT 3.3). */
const raises = ({ write: { operation, body } }: Step): readonly number[] => {
  if (operation !== 'patchCard') return [0, 1];
  // Every title is new, so an edit always changes something. A transfer changes nothing if the card is there already.
  return 'workstream_id' in body ? [1, 2] : [1];
};

/** A write raises the version by one, a transfer with an edit by two, and a change of nothing not at all. */
export const rises = checkOf(
  'a write raises the version by one, a transfer with an edit by two',
  ofEach(({ steps }, report) => {
    for (const step of steps) {
      if (raises(step).includes(step.to - step.from)) continue;
      report(`went from version ${step.from} to ${step.to} by one ${step.write.operation}`, step.exchange);
    }
    return steps.length;
  }),
);

/** A write gets 412 only if the version that it names is not the current one. */
export const refusedForAReason = checkOf(
  'a write of the current version never gets 412',
  ofEach(({ observations }, report) => {
    let looked = 0;
    for (const { exchange, version } of observations) {
      if (exchange.answer?.status !== 412) continue;
      looked += 1;
      if (version === exchange.ifMatch) report(`refused a write of its current version ${version}`, exchange);
    }
    return looked;
  }),
);
