export { coalesce } from './coalesce.ts';
export { loadConfig } from './config.ts';
export {
  askedOnce,
  currentContext,
  firstOf,
  inBackground,
  newContext,
  type RequestContext,
  runInContext,
  traceIdOf,
} from './context.ts';
export { connectionDrain } from './drain-connections.ts';
export { armFailpoint, type Failpoint, failpoint, failpoints } from './failpoint.ts';
export { failedChecks, serveHealth } from './health.ts';
export { type Lifecycle, lifecycle, type Part, stopTimeoutMs } from './lifecycle.ts';
export { createLogger, type Logger } from './logger.ts';
export { requestMeter } from './meters.ts';
export { counter, gauge, histogram, sampledGauges, serveMetrics } from './metrics.ts';
export { cursorRefused, type OpenPage, openPage, pageBytes, sortKey } from './pages.ts';
export {
  busUrl,
  busUrlProblem,
  connectionProblem,
  databaseUrl,
  databaseUrlProblem,
  ServerProblem,
  untilUsable,
  waitForServer,
} from './server-problem.ts';
export { type Sweeper, type SweeperOptions, sweeper } from './sweeper.ts';
export { type OpenSpan, openSpan, span, startTelemetry } from './tracing.ts';
