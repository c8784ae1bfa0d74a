import { rounds } from '@cardinal/testkit';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Answer, Body } from '../workspace.ts';

/*
 * Model-based tests: fast-check makes up stories, a model of the rules says what each answer must be, and a story that
 * the system answers differently is shrunk to its shortest form. A model knows things by short names (`A`, `PAY`); ids,
 * times and positions are what the system answers.
 */

/** What a model expects of an answer: a refusal's code and details, or what a success shows, with the model's names. */
export interface Prediction {
  status: number;
  code?: string;
  /** Compared only where given. */
  details?: unknown;
  shows?: unknown;
}

const codes: Record<number, string> = {
  403: 'insufficient_scope',
  404: 'not_found',
  409: 'conflict',
  412: 'precondition_failed',
  422: 'validation_error',
  428: 'precondition_required',
};

/** A refusal, with the code that its status has (CONTRACT 1.4). */
export const refused = (status: number, details?: unknown): Prediction => ({
  status,
  code: codes[status] as string,
  ...(details !== undefined && { details }),
});
/** The key of another request (CONTRACT 3.4). */
export const keyReused: Prediction = { status: 422, code: 'idempotency_key_reused' };
export const shown = (shows: unknown, status = 200): Prediction => ({ status, shows });
export const done: Prediction = { status: 204 };

/** What a write says in `If-Match`. */
export type IfMatch = 'current' | 'stale' | 'missing';
export const ifMatches: fc.Arbitrary<IfMatch> = fc.oneof(
  { weight: 8, arbitrary: fc.constant('current' as const) },
  { weight: 1, arbitrary: fc.constant('stale' as const) },
  { weight: 1, arbitrary: fc.constant('missing' as const) },
);
/** As a story prints it, after the rest. */
export const toldOf = (ifMatch: IfMatch): string =>
  ({ current: '', stale: ', stale', missing: ', without If-Match' })[ifMatch];
/** As it is sent for something of this version. */
export const headerOf = (ifMatch: IfMatch, version: number | undefined): string | null =>
  ifMatch === 'missing' ? null : `"${ifMatch === 'stale' ? 999 : (version ?? 1)}"`;

/** The first that stands against a versioned write: 428, a broken body, 404, 412, in the order of the checks. */
export const against = (
  ifMatch: IfMatch,
  found: { version: number } | undefined,
  badBody = false,
): Prediction | undefined => {
  if (ifMatch === 'missing') return refused(428);
  if (badBody) return refused(422);
  if (!found) return refused(404);
  return ifMatch === 'stale' ? refused(412, { current_version: found.version }) : undefined;
};

/** One step of a story. */
export interface Step<Model extends object, Real> {
  /** The text of the step in a story. */
  told: string;
  /** Whether the story can go on like this; always where left out. */
  possible?: (model: Readonly<Model>) => boolean;
  /** What the answer must be. The model becomes what the step makes of it. */
  predict: (model: Model) => Prediction;
  send: (real: Real) => Promise<Answer>;
  /** What a success shows, with the model's names; nothing where left out. */
  read?: (real: Real, answer: Answer) => unknown;
}

/** The log may have the changes of a 412 later. */
const knownOf = (details: Body) =>
  details?.current_version === undefined ? details : { current_version: details.current_version };

const outcomeOf = (answer: Answer, details: boolean, read: (answer: Answer) => unknown): Prediction => {
  const { status, body } = answer;
  const error: Body = body?.error;
  if (error) return { status, code: error.code, ...(details && { details: knownOf(error.details) }) };
  const shows = status === 204 ? undefined : read(answer);
  return shows === undefined ? { status } : { status, shows };
};

/** Takes a step: the system must answer as the model predicts. */
export const take = async <Model extends object, Real>(one: Step<Model, Real>, model: Model, real: Real) => {
  const predicted = one.predict(model);
  const answer = await one.send(real);
  const outcome = outcomeOf(answer, predicted.details !== undefined, (all) => one.read?.(real, all));
  expect(outcome, `${one.told} answered otherwise than the model`).toEqual(predicted);
};

/** A step as a command of fast-check. */
const command = <Model extends object, Real>(one: Step<Model, Real>): fc.AsyncCommand<Model, Real> => ({
  check: (model) => one.possible?.(model) ?? true,
  run: (model, real) => take(one, model, real),
  toString: () => one.told,
});

/** Steps of one kind, as fast-check makes them up. */
export type Steps<Model extends object, Real> = fc.Arbitrary<Step<Model, Real>>;

/** What a model is tried with. */
interface Trial<Model extends object, Real> {
  /** A world of its own for each story, and the model of it. */
  start: () => Promise<{ model: Model; real: Real }>;
  steps: Steps<Model, Real>[];
  /** What is asked when the story is over. */
  epilogue: (model: Model) => Step<Model, Real>[];
}

/**
 * Runs stories and compares every answer with the model.
 * @param again seed, path and replayPath that a failure printed, to run its story again
 * @throws Error with the shortest story found in which the system differs from the model
 */
export const tellStories = <Model extends object, Real>(
  { start, steps, epilogue }: Trial<Model, Real>,
  { replayPath, ...again }: { seed?: number; path?: string; replayPath?: string } = {},
): Promise<void> => {
  const constraints = { maxCommands: 100, size: 'max', ...(replayPath !== undefined && { replayPath }) } as const;
  const commands = fc.commands(
    steps.map((some) => some.map(command)),
    constraints,
  );
  const run = async (story: Iterable<fc.AsyncCommand<Model, Real>>) => {
    const world = await start();
    await fc.asyncModelRun(() => world, story);
    for (const one of epilogue(world.model)) await take(one, world.model, world.real);
  };
  // Unbiased: fast-check would begin with stories of a few steps. The same stories each time, so that a change is what fails.
  const parameters = { seed: 1, numRuns: rounds(100, 6), unbiased: true, ...again };
  return fc.assert(fc.asyncProperty(commands, run), parameters);
};
