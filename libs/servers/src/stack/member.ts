import { setTimeout as pause } from 'node:timers/promises';
import type { Child, Exit } from '../process.ts';

/** How long a process may take to end, in milliseconds: longer than the services say they need (15 s). */
const graceMs = 20_000;
/** A process that lived this long was well: it is started again at once. */
const healthyMs = 30_000;
const longestPauseMs = 10_000;
const pauseAfter = (failures: number) => (failures === 0 ? 0 : Math.min(125 * 2 ** failures, longestPauseMs));

/** What a process is started with in addition to its usual configuration, until its next start. */
export interface Change {
  env?: Record<string, string>;
  /** The checkout that it is taken from. */
  build?: string;
  /** A place where it kills itself, and stays away then; the names are those of `failpoints` in libs/runtime. */
  failpoint?: string;
}

export interface Upkeep {
  /** Receives a line when something starts, is back, does not come back or stopped. */
  report?: ((line: string) => void) | undefined;
  /** Where it is given, what ends by itself is started again after this heard of it, as an orchestrator would do. */
  keepUp?: ((name: string, exit: Exit, lastWords: string) => void) | undefined;
}

export type Member<Running extends Child = Child> = ReturnType<typeof memberOf<Running>>;

/**
 * A process under a name, which is always started in the same place.
 * @param launch gets the former process, whose port it is to take over
 */
export const memberOf = <Running extends Child & { lacks?(): Promise<string | undefined> }>(
  name: string,
  launch: (former: Running | undefined, change: Change) => Promise<Running>,
  { report = () => {}, keepUp }: Upkeep,
) => {
  const title = { postgres: 'Postgres', nats: 'NATS', all: 'services' }[name] ?? name;
  let running: Running | undefined;
  let failures = 0;
  /** Aborted when it is ended on purpose. */
  let life = new AbortController();

  const run = async (change: Change, own: AbortController): Promise<void> => {
    const former = running;
    const started = await launch(former, change);
    // It was ended meanwhile.
    if (own.signal.aborted) return started.stop('SIGKILL');
    running = started;
    if (former) report(`${title} is back`);
    const since = performance.now();
    void started.exited.then((exit) => {
      if (own.signal.aborted || !keepUp || (change.failpoint && exit.signal === 'SIGKILL')) return;
      keepUp(title, exit, started.lastWords());
      if (performance.now() - since > healthyMs) failures = 0;
      void runAgain(change, own);
    });
  };

  /** Only the very first start throws where it is kept up; what fails later is tried again, after growing pauses. */
  const tryToRun = async (change: Change, own: AbortController): Promise<void> => {
    try {
      await run(change, own);
    } catch (error) {
      if (!keepUp || !running) throw error;
      if (own.signal.aborted) return;
      report(`${title} did not come back: ${error instanceof Error ? error.message : error}`);
      void runAgain(change, own);
    }
  };

  const runAgain = async (change: Change, own: AbortController): Promise<void> => {
    await pause(pauseAfter(failures), undefined, own).catch(() => {});
    failures += 1;
    if (!own.signal.aborted) await tryToRun(change, own);
  };

  const end = async (signal?: NodeJS.Signals): Promise<void> => {
    life.abort();
    // What is stopped takes no signal but SIGKILL.
    if (signal !== 'SIGKILL') running?.kill('SIGCONT');
    await running?.stop(signal, graceMs);
  };

  return {
    name,
    /** The present process, or the last one. @throws Error where it never ran */
    process: (): Running => {
      if (!running) throw new Error(`${name} never ran`);
      return running;
    },
    /** Undefined while it does not run. */
    pid: () => (running?.hasExited() ? undefined : running?.pid),
    start: (change: Change = {}): Promise<void> => {
      if (!running) report(`${title}: starting`);
      life = new AbortController();
      return tryToRun(change, life);
    },
    signal: (signal: NodeJS.Signals): void => running?.kill(signal),
    /** Ends it, and it stays so until it is started. */
    end,
    /** The same, and reports it. */
    stop: async (signal?: NodeJS.Signals): Promise<void> => {
      await end(signal);
      if (running) report(`${title} stopped`);
    },
    /** Resolves when the present process is gone, however it ended. */
    exited: async (): Promise<Exit | undefined> => running?.exited,
    /** What it lacks; undefined when it is ready. */
    lacks: async () => (running === undefined || running.hasExited() ? 'is not running' : running.lacks?.()),
  };
};
