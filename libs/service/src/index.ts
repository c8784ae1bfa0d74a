export { comparePages, existingOf } from './feeds/compare.ts';
export { type Feed, feedHours, purgeChanges, serveFeed } from './feeds/feed.ts';
export { followFeeds } from './feeds/follow.ts';
export { type Projection, startProjections } from './feeds/projections.ts';
export { createLineage, type DatabaseLineage, type Met, tickMs } from './lineage/lineage.ts';
export type { Connections, DocumentHandler, Running, Service } from './service.ts';
export { startService } from './start.ts';
export { type CardSummary, cardsAtOnce, createVisibility } from './visibility.ts';
export { Outdated, runCreate, runDelete, runWrite, type Target, untilUpToDate, type WriteRequest } from './write.ts';
