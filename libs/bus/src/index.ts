export { type Access, accessOf, type BusUserName, busUserNames } from './access.ts';
export { type Bus, type BusOptions, connectBus } from './bus.ts';
export { brokerProblem, checkBroker } from './connection.ts';
export { droppedUntil, inspectConsumers, storedEventIds } from './events/inspect.ts';
export { declareStreams } from './events/streams.ts';
export { pingOf } from './names.ts';
