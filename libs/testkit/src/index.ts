export { compileCache } from '@cardinal/servers';
export { type Answer, type AnyResource, type Api, api, type Call, exchange, unsigned } from './api.ts';
export { chromium, openPage, type Page, type PageRequest } from './browser.ts';
export { aCaller, aCommand } from './callers.ts';
export { certificateAuthority } from './certificates.ts';
export { haproxyPaths, pgbouncerPaths, prometheusFolders, rounds } from './environment.ts';
export { eventually } from './eventually.ts';
export { type FeedDouble, startFeedDouble } from './feed-double.ts';
export {
  canonical,
  declaredInternalEvents,
  type Exercise,
  type Exercises,
  eventFile,
  feedExercises,
  goldenEvent,
  goldenRequest,
  shape,
  testRequests,
} from './golden.ts';
export { slowTexts } from './growth.ts';
export { type ClusterServer, type TestNatsCluster, testNatsCluster } from './nats-cluster.ts';
export { installedNodes } from './nodes.ts';
export { rememberNumbers } from './numbers-told.ts';
export { pngChunk, whitePng } from './png.ts';
export { type Proxy, startProxy } from './proxy.ts';
export { connectionsFor, lines, renderedHeader, withRendered } from './rendered.ts';
export { atEndOfFile } from './run/end-of-file.ts';
export { scratchFolder } from './run/worker.ts';
export { type TestDatabase, type TestNats, testBus, testDatabase, testNats, testSurroundings } from './servers.ts';
export type { OwnPostgres } from './stack/own-postgres.ts';
export {
  type SharedStack,
  sharedStack,
  startWorld,
  type World,
  type WorldOptions,
} from './stack/world.ts';
export { tableTypes } from './table-types.ts';
export { type MetricSample, type ReceivedSpan, type Scraped, scrape, startOtlpReceiver } from './telemetry.ts';
