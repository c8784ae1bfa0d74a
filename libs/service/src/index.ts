export { serveProjection } from './projection.ts';
export type { Connections, DocumentHandler, Handler, Service } from './service.ts';
export { startService } from './start.ts';
export { type CardSummary, cardsAtOnce, createVisibility } from './visibility.ts';
export { Outdated, runDelete, runWrite, type Target, untilUpToDate, type WriteRequest } from './write.ts';
