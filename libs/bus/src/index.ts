export { type Access, accessOf, type BusUserName, busUserNames } from './access.ts';
export { type Bus, type BusOptions, connectBus } from './bus.ts';
export { brokerProblem, checkBroker } from './connection.ts';
export type { ConsumeOptions } from './events/consume.ts';
export { droppedUntil, type InspectedConsumer, inspectConsumers, storedEventIds } from './events/inspect.ts';
export { declareStreams } from './events/streams.ts';
export { pingOf } from './names.ts';
export type { Handler } from './requests/server.ts';
