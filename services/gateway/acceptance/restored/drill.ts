import { rmSync } from 'node:fs';
import { type DatabaseOwner, type ServiceName, serviceNames } from '@cardinal/contracts';
import { runStatements } from '@cardinal/servers';
import { eventually, rounds, type World } from '@cardinal/testkit';
import { expect } from 'vitest';
import { type Figures, figuresOf, lineOf } from './figures.ts';
import { followed } from './followers.ts';
import { type Load, startLoad } from './load.ts';

/** Whether the services run on through the rollback, or are killed before it and started after it. */
export const modes = ['the services running on', 'the services killed before and started after it'] as const;
type Mode = (typeof modes)[number];

/** The modes that a drill is tried in: both with `FULL_ROUNDS=1`, the one named in the usual run. */
export const modesOf = (usual: Mode): readonly Mode[] => (rounds(2, 1) === 2 ? modes : [usual]);

const ticksOf = async (world: World): Promise<number[]> => {
  const query = 'select (select tick from card.lineage) as card, (select tick from identifier.lineage) as identifier';
  const [row] = await runStatements(world.adminUrl, [query]);
  return Object.values(row as Record<string, string>).map(Number);
};

/**
 * What comes back after a rollback has to be older than what the register knows of its database: less is not recognized (ADR 42).
 * @returns waits until both databases have ticked so often since, which they do where numbers are written; the register knows
 * of a tick when the next one comes
 */
export const aging = async (world: World): Promise<(ticks?: number) => Promise<void>> => {
  const kept = await ticksOf(world);
  const sinceKept = async () => (await ticksOf(world)).map((tick, at) => tick - (kept[at] ?? 0));
  return (ticks = 2) => eventually(async () => expect(Math.min(...(await sinceKept()))).toBeGreaterThanOrEqual(ticks));
};

/** Those that are killed: all with `FULL_ROUNDS=1`, else those that keep in memory what a rollback makes untrue. */
const killed: readonly ServiceName[] = rounds(2, 1) === 2 ? serviceNames : ['card', 'identifier', 'event'];

/** Has `rollback` happen, with the services running on or without them. @param env what those that are killed start with after it */
export const amid = async <T>(
  world: World,
  mode: Mode,
  rollback: () => Promise<T>,
  { names = killed, env = {} }: { names?: readonly ServiceName[]; env?: Record<string, string> | undefined } = {},
): Promise<void> => {
  const some = mode === modes[0] ? [] : names.flatMap(world.instancesOf);
  await Promise.all(some.map((name) => world.kill(name)));
  await rollback();
  // A gateway is ready only when what it calls is.
  await Promise.all(some.filter((name) => !name.startsWith('gateway')).map((name) => world.restart(name, { env })));
  await Promise.all(some.filter((name) => name.startsWith('gateway')).map((name) => world.restart(name, { env })));
};

/** The broker begins with an empty folder. */
export const wipeBroker = async (world: World): Promise<void> => {
  await world.kill('nats', 'SIGKILL');
  rmSync(world.natsFolder, { recursive: true });
  await world.restart('nats');
};

interface Drill<Kept> {
  name: string;
  mode: Mode;
  /** Keeps the present state in some way. */
  keep: (load: Load) => Promise<Kept>;
  /** Makes it the present state again. */
  rollback: (kept: Kept) => Promise<unknown>;
  /** Whose rollback those who follow a workspace beside are told of; nobody follows where left out. */
  told?: DatabaseOwner;
  /** What services are started with after it. */
  env?: Record<string, string>;
  /** Further events while clients work. */
  next?: (load: Load) => Promise<unknown>;
  /** The operator's last step. */
  mend?: () => Promise<unknown>;
}

/**
 * Lets clients work, keeps a state, lets them work on, also in a workstream that the kept state lacks, and has everything
 * are rolled back to that state amid their work; afterwards every identifier that they were ever answered is looked up.
 */
export const drill = async <Kept>(world: World, drill: Drill<Kept>): Promise<Figures> => {
  const { name, mode, keep, rollback, told, env, next, mend } = drill;
  const load = await startLoad(world);
  const scene = told && (await followed(world));
  await load.more(rounds(40, 12));
  const from = performance.now();
  const kept = await keep(load);
  const aged = await aging(world);
  await load.begin('LATER');
  await load.more(rounds(40, 12));
  const lost = await scene?.goOn();
  await Promise.race([aged(), load.done]);
  await amid(world, mode, () => rollback(kept), { env });
  const to = performance.now();
  if (scene && lost) {
    const since = new Set((await scene.expectReset(told, lost.highest)).map(({ subject }) => subject.id));
    // Lost changes of an owner have no event any more.
    if (told === 'event') expect(lost.between.filter((id) => since.has(id))).toEqual([]);
  }
  // More than a grant has at first.
  await load.more(rounds(80, 32));
  await next?.(load);
  await load.stop();
  await mend?.();
  const figures = await figuresOf(load, { from, to });
  show(`${name}, ${mode}`, figures, load);
  // The workstream that may have been lost gives numbers again.
  expect(load.told.some(({ identifier, began }) => began > to && identifier.startsWith('LATER-'))).toBe(true);
  return figures;
};

/** Prints the result of a drill. */
const show = (name: string, figures: Figures, { others }: Load) => {
  const counted = [...Map.groupBy(others, (one) => one)].map(([one, all]) => `${all.length} × ${one}`);
  process.stdout.write(`${[lineOf(name, figures), ...counted].join('; ')}\n`);
};

const none = { another: [], twice: [], missing: [], denied: [] };
const wrong = ({ another, twice, missing, denied }: Figures) => ({
  another: another.slice(0, 10),
  twice: twice.slice(0, 10),
  missing: missing.slice(0, 10),
  denied: denied.slice(0, 10),
});

/** The most that one grant has (services/identifier). */
const maxGranted = 1_000;

/**
 * What was lost names no card, nothing names another one, and each workstream skipped no more than a grant.
 * @param margin numbers that it may skip besides, where nobody knows what was given out
 */
export const expectNoReuse = (figures: Figures, margin = 0) => {
  expect(wrong(figures)).toEqual(none);
  expect(Math.max(0, ...Object.values(figures.skipped))).toBeLessThanOrEqual(maxGranted + margin);
};

/** The same, and something was lost, else the drill would have shown nothing. */
export const expectLossWithoutReuse = (figures: Figures, margin = 0) => {
  expectNoReuse(figures, margin);
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
