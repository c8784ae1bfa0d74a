export { type Access, accessOf, type BusUserName, busUserNames } from './access.ts';
export { type Bus, type BusOptions, connectBus } from './bus.ts';
export type { ConsumeOptions } from './events/deliver.ts';
export { droppedUntil, type InspectedConsumer, inspectConsumers, storedEventIds } from './events/inspect.ts';
export { declareStreams } from './events/streams.ts';
export { brokerProblem, checkBroker } from './reach.ts';
export { pingOf } from './requests/ping.ts';
export type { Handler } from './requests/server.ts';
