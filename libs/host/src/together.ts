import { flushCompileCache } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import type { LocalCalls } from '@cardinal/bus';
import {
  armFailpoint,
  createLogger,
  failedChecks,
  inService,
  type Logger,
  lifecycle,
  orderedParts,
  ServerProblem,
  serveHealth,
  startTelemetry,
} from '@cardinal/runtime';
import { getsVariablesLater, readTogether, readVariables } from './config.ts';
import type { Program } from './program.ts';

/** Pause between two tries to start a service, ms. It doubles with each try, up to the second value. */
const [firstPauseMs, longestPauseMs] = [500, 30_000];

type Checks = Record<string, () => Promise<void>>;
const notYet = () => Promise.reject<void>();

/**
 * Runs one service of the process. Where its start fails, the error is logged under its name, the started parts are
 * stopped, and it is tried again, while the others continue.
 */
const memberOf = ({ name, start }: Program, config: Record<string, unknown>, logger: Logger, local: LocalCalls) => {
  const stopped = new AbortController();
  let parts = orderedParts(logger);
  let checks: Checks = { start: notYet };

  /** Its probes are answered with those of the process. */
  const probes = (seen: Checks) => {
    checks = seen;
    return {
      port: 0,
      close: async () => {
        checks = { start: notYet };
      },
      setStopping: () => {
        checks = { stopping: notYet };
      },
    };
  };

  const tryToStart = async (): Promise<void> => {
    parts = orderedParts(logger);
    await start({
      config,
      logger,
      life: parts,
      serveHealth: async (asked) => probes(asked.checks),
      serveMetrics: async () => probes({}),
      local,
    });
  };

  const keepTrying = async (): Promise<void> => {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        return await tryToStart();
      } catch (error) {
        if (stopped.signal.aborted) return;
        if (error instanceof ServerProblem) logger.error(error.message);
        else logger.error({ err: error }, 'the service did not start');
        await parts.stop();
        await pause(pauseMs, undefined, stopped).catch(() => {});
        if (stopped.signal.aborted) return;
        logger.info('the service is started again');
      }
    }
  };

  return {
    name,
    /** Resolves once it serves, or was stopped. */
    start: (): Promise<void> => inService(name, keepTrying),
    stop: async (): Promise<void> => {
      stopped.abort();
      await parts.stop();
    },
    /** Rejects while it cannot work. */
    check: async (): Promise<void> => {
      const failed = await failedChecks(checks);
      if (failed.length > 0) throw new Error(failed.join(', '));
    },
  };
};

/**
 * Runs several services as this process, each with its own configuration, database role, broker connection and parts.
 * Calls between them are function calls. They stop in the reverse order of `programs`. Loads the services while it
 * waits for variables, if those come later. Exits 1 where the environment is wrong for one of them.
 */
export const runTogether = async (programs: readonly Program[]): Promise<void> => {
  if (getsVariablesLater()) {
    const [hasVariables] = await Promise.all([readVariables(), ...programs.map(({ load }) => load())]);
    if (!hasVariables) return;
  }
  const { config, ofServices } = readTogether(programs);
  const logger = createLogger({ service: 'all', level: config.LOG_LEVEL });
  armFailpoint(config.FAILPOINT);
  const life = lifecycle({ logger });
  const telemetry = await startTelemetry({ service: 'cardinal', endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT });
  await life.add({ name: 'telemetry', stop: () => telemetry.stop() });

  const { createLocalCalls } = await import('@cardinal/bus');
  const local = createLocalCalls(programs.map(({ name }) => name));
  const members = programs.map((program, at) => {
    const own = ofServices[at] ?? {};
    return memberOf(program, own, createLogger({ service: program.name, level: String(own.LOG_LEVEL) }), local);
  });
  const checks = Object.fromEntries(members.map((member) => [member.name, member.check]));
  const health = await serveHealth({
    port: config.METRICS_PORT,
    host: config.METRICS_HOST,
    checks,
    logger,
    listening: 'serving health and metrics',
  });
  await life.add({ name: 'health', stop: () => health.close() });
  for (const member of members) await life.add({ name: member.name, stop: member.stop });
  await life.add({ name: 'readiness', stop: () => health.setStopping() });
  await Promise.all(members.map((member) => member.start()));
  flushCompileCache();
};
