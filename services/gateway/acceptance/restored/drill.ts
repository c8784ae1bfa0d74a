import { type ServiceName, serviceNames } from '@cardinal/contracts';
import { rounds, type World } from '@cardinal/testkit';
import { expect } from 'vitest';
import { type Figures, figuresOf, lineOf } from './figures.ts';
import { type Load, startLoad } from './load.ts';

/** Whether the services run on through the fall, or all of them are killed before it and started after it. */
export const modes = ['the services running on', 'all services killed before and started after it'] as const;
type Mode = (typeof modes)[number];

/** The modes that a drill is tried in: both with `FULL_ROUNDS=1`, the one named in the usual run. */
export const modesOf = (usual: Mode): readonly Mode[] => (rounds(2, 1) === 2 ? modes : [usual]);

/** How old what everything falls back to is at least, milliseconds of load. */
export const ageMs = 3_000;

const restartAll = async (world: World) => {
  const isGateway = (name: ServiceName) => name === 'gateway';
  // A gateway is ready only when what it calls is.
  await Promise.all(serviceNames.filter((name) => !isGateway(name)).map((name) => world.restart(name)));
  await world.restart('gateway');
};

/** Has `fall` happen, with the services running on or without them. */
export const amid = async <T>(world: World, mode: Mode, fall: () => Promise<T>): Promise<void> => {
  const runsOn = mode === modes[0];
  if (!runsOn) await Promise.all(serviceNames.map((name) => world.kill(name)));
  await fall();
  if (!runsOn) await restartAll(world);
};

interface Drill<Kept> {
  name: string;
  mode: Mode;
  /** Keeps the present state in some way. */
  keep: () => Promise<Kept>;
  /** Makes it the present state again. */
  fall: (kept: Kept) => Promise<unknown>;
  /** What an operator does in the end. */
  mend?: () => Promise<unknown>;
}

/**
 * Lets clients work, keeps a state, lets them work on, also in a workstream that the kept state lacks, and has everything
 * fall back to that state amid their work; afterwards every identifier that they were ever answered is looked up.
 */
export const drill = async <Kept>(world: World, { name, mode, keep, fall, mend }: Drill<Kept>): Promise<Figures> => {
  const load = await startLoad(world);
  await load.more(40);
  const from = performance.now();
  const kept = await keep();
  await load.begin('LATER');
  await load.more(40, ageMs);
  await amid(world, mode, () => fall(kept));
  const to = performance.now();
  await load.more(80);
  await load.stop();
  await mend?.();
  const figures = await figuresOf(load, { from, to });
  show(`${name}, ${mode}`, figures, load);
  // The workstream that may have been lost gives numbers again.
  expect(load.told.some(({ identifier, began }) => began > to && identifier.startsWith('LATER-'))).toBe(true);
  return figures;
};

/** Prints what a drill came to. */
export const show = (name: string, figures: Figures, { others }: Load) => {
  const counted = [...Map.groupBy(others, (one) => one)].map(([one, all]) => `${all.length} × ${one}`);
  process.stdout.write(`${[lineOf(name, figures), ...counted].join('; ')}\n`);
};

const none = { another: [], twice: [], missing: [] };
const wrong = ({ another, twice, missing }: Figures) => ({
  another: another.slice(0, 10),
  twice: twice.slice(0, 10),
  missing: missing.slice(0, 10),
});

/** The most that one grant has (services/identifier). */
const maxGranted = 1_000;

/** What was lost names no card, nothing names another one, and each workstream skipped no more than a grant. */
export const expectNoReuse = (figures: Figures) => {
  expect(wrong(figures)).toEqual(none);
  expect(Math.max(0, ...Object.values(figures.skipped))).toBeLessThanOrEqual(maxGranted);
};

/** The same, and something was lost, else the drill would have shown nothing. */
export const expectLossWithoutReuse = (figures: Figures) => {
  expectNoReuse(figures);
  expect(figures.lost).toBeGreaterThan(0);
};

/** Nothing was lost, and no number was skipped. */
export const expectNothingHappened = (figures: Figures) => {
  expect({ ...wrong(figures), lost: figures.lost, skipped: figures.skipped }).toEqual({
    ...none,
    lost: 0,
    skipped: {},
  });
};
