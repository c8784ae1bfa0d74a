import { copy } from '../explore.ts';
import type { Mutant } from './mutants.ts';
import {
  type Base,
  type Epochs,
  type Instance,
  type Log,
  type Position,
  type Pulled,
  resetBase,
  type State,
  type World,
} from './state.ts';

/** The next state of the log, given the pulled changes: no change, an epoch, a reset, or further changes. */
export const planOf = (state: State, own: Instance, world: World, mutant: Mutant): Log | undefined => {
  const { register } = state;
  const { pulled } = own;
  const { epoch, rolledBack, doubted, owners } = sinceOf(own, mutant);
  const row = own.row[0] as Log;
  const mayLack = row.epoch < rolledBack;
  if (mayLack && row.epoch < doubted) return reset(state, own, world, mutant);
  if (mayLack && register.base.seq > row.base.seq && mutant !== 'baseNotRead') return adopt(row, register.base);
  const isWitnessed = pulled.every(({ line }, at) => line === owners[at]);
  if (mayLack && !isWitnessed && mutant !== 'pullNotCompared') return undefined;
  const from = mayLack ? skipPurged(row, pulled, mutant) : row;
  if (!from.positions.every((position, at) => follows(position, pulled[at] as Pulled, mutant)))
    return reset(state, own, world, mutant);

  const { news, isCut } = merge(from.positions, pulled, world, mutant);
  const isAdmitted = !isCut || !mayLack || mutant === 'admittedEarly';
  const log: Log = {
    ...from,
    epoch: isAdmitted ? Math.max(row.epoch, epoch) : row.epoch,
    events: [...from.events, ...news],
    positions: from.positions.map((position, at) => furthest(position, pulled[at] as Pulled, news)),
  };
  if (news.length === 0 && log.epoch === row.epoch && from === row) return undefined;
  const last = log.events.length;
  if (last <= row.through || mutant === 'noMark') return log;
  if (register.base.seq > row.base.seq && mutant !== 'baseNotAdopted' && mutant !== 'baseNotRead')
    return adopt(row, register.base);
  const through = Math.max(register.through, last + world.block);
  if (mutant !== 'markAfter') register.through = through;
  return { ...log, through };
};

/** Skips numbers that may have been given. The register has the new base before any instance does. */
const reset = (state: State, own: Instance, world: World, mutant: Mutant): Log => {
  const { register } = state;
  const row = own.row[0] as Log;
  state.resets += 1;
  const known = mutant === 'noMark' ? 0 : register.through;
  const base: Base = {
    seq: Math.max(known, row.events.length) + 1,
    reset: resetBase + state.resets,
    positions: row.positions.map((position, at) => common(position, pulledOf(own, at), row)),
  };
  const through = base.seq + world.block;
  if (mutant !== 'markAfter') register.through = through;
  if (mutant !== 'baseNotWritten') register.base = base;
  return { ...adopt(row, base), epoch: Math.max(row.epoch, sinceOf(own, mutant).epoch), through };
};

const sinceOf = ({ known, since }: Instance, mutant: Mutant) =>
  mutant === 'epochOfPlan' ? known : (since[0] as Epochs);

const pulledOf = ({ pulled }: Instance, at: number) => pulled[at] as Pulled;

/** The log continues at a base. */
const adopt = (row: Log, base: Base): Log => {
  const events = [...row.events];
  while (events.length < base.seq - 1) events.push(0);
  events.push(base.reset);
  const through = Math.max(row.through, base.seq);
  return copy({ ...row, base, positions: base.positions, through, events });
};

const follows = ({ seq, id }: Position, { feed, purged }: Pulled, mutant: Mutant): boolean => {
  if (seq > feed.length && mutant === 'noChain') return true;
  return seq <= feed.length && seq >= purged && (seq === 0 || mutant === 'noChain' || feed[seq - 1] === id);
};

/** The last change that feed and log share; without one, the first that the feed still has. */
const common = ({ seq, id }: Position, { feed, purged }: Pulled, { events }: Log): Position => {
  for (let at = Math.min(seq, feed.length); at > purged; at -= 1) {
    const change = feed[at - 1] as number;
    if ((at === seq && change === id) || events.includes(change)) return { seq: at, id: change };
  }
  return { seq: purged, id: feed[purged - 1] ?? 0 };
};

/** Where feeds are purged beyond the log, it begins where all of them still have changes, and counts what it skips. */
const skipPurged = (row: Log, pulled: readonly Pulled[], mutant: Mutant): Log => {
  const lacking = pulled.filter(({ purged }, at) => purged > (row.positions[at]?.seq ?? 0));
  if (lacking.length === 0) return row;
  const horizon = Math.min(...pulled.map(({ completeTo }) => completeTo));
  const begin = Math.max(...lacking.map(({ feed, purged }) => feed[purged] ?? horizon + 1));
  const positions = pulled.map(({ feed, purged }) => {
    const seq = Math.max(purged, feed.filter((change) => change < begin && change <= horizon).length);
    return { seq, id: feed[seq - 1] ?? 0 };
  });
  const skipped = positions.reduce((sum, { seq }, at) => sum + seq - (row.positions[at]?.seq ?? 0), 0);
  const events = [...row.events, ...Array.from({ length: mutant === 'notCounted' ? 0 : skipped }, () => 0)];
  return { ...row, positions, events, oldest: events.length + 1 };
};

/** Merges in the order of time, up to the time to which all feeds are complete. */
const merge = (positions: readonly Position[], pulled: readonly Pulled[], { cut }: World, mutant: Mutant) => {
  const horizon =
    mutant === 'noHorizon' ? Number.POSITIVE_INFINITY : Math.min(...pulled.map(({ completeTo }) => completeTo));
  const news = pulled
    .flatMap(({ feed }, at) => feed.slice(positions[at]?.seq))
    .filter((change) => change <= horizon)
    .sort((a, b) => a - b);
  return cut && news.length > 1 ? { news: news.slice(0, 1), isCut: true } : { news, isCut: false };
};

const furthest = (position: Position, { feed }: Pulled, news: readonly number[]): Position => {
  const seq = feed.findLastIndex((change) => news.includes(change)) + 1;
  return seq > position.seq ? { seq, id: feed[seq - 1] as number } : position;
};
