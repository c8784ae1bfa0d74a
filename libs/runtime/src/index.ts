export { coalesce } from './coalesce.ts';
export { loadConfig, wrongSettings } from './config.ts';
export {
  afterMicrotasks,
  askedOnce,
  currentContext,
  firstOf,
  inBackground,
  newContext,
  type OpenSpan,
  openSpan,
  type RequestContext,
  requestIdOf,
  runInContext,
  span,
  traceIdOf,
} from './context.ts';
export { changeDatabaseUrl, hostUrls, serversOf } from './database-url.ts';
export { armFailpoint, type Failpoint, failpoint, failpoints } from './failpoint.ts';
export { createFairQueue, type Refusal, type Share } from './fair-queue.ts';
export { createFairSemaphore } from './fair-semaphore.ts';
export { failedChecks, serveHealth } from './health.ts';
export { http } from './http.ts';
export { type Lifecycle, lifecycle, orderedParts, type Part, stopTimeoutMs } from './lifecycle.ts';
export { createLogger, type Logger } from './logger.ts';
export { counter, gauge, histogram, sampledGauges, serveMetrics } from './metrics.ts';
export { cursorRefused, type OpenPage, openPage, pageBytes, sortKey } from './pages.ts';
export { requestMeter } from './request-meter.ts';
export {
  busCa,
  busUrl,
  busUrlProblem,
  connectionProblem,
  databaseUrl,
  databaseUrlProblem,
  ServerProblem,
  untilUsable,
  waitForServer,
} from './server-problem.ts';
export { currentService, inService } from './service-scope.ts';
export { type Sweeper, type SweeperOptions, sweeper } from './sweeper.ts';
export { startTelemetry } from './telemetry.ts';
