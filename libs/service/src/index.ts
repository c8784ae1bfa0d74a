export { type Feed, feedHours, purgeChanges, serveFeed } from './feed.ts';
export { createLineage, type DatabaseLineage, type Met, tickMs } from './lineage/lineage.ts';
export { type Connections, type DocumentHandler, type Service, serveProjection } from './service.ts';
export { startService } from './start.ts';
export { type CardSummary, cardsAtOnce, createVisibility } from './visibility.ts';
export { Outdated, runCreate, runDelete, runWrite, type Target, untilUpToDate, type WriteRequest } from './write.ts';
