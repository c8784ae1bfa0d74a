export { type Access, accessOf, type BusUserName, busUserNames } from './access.ts';
export type { Broker } from './broker.ts';
export { brokerProblem, checkBroker } from './broker-problem.ts';
export { type Bus, type BusOptions, connectBus } from './bus.ts';
export { droppedUntil, inspectConsumers, storedEventIds } from './events/inspect.ts';
export { declareStreams } from './events/streams.ts';
export { pingOf } from './names.ts';
export { onRegister, type Register, type RegisterEntry } from './register.ts';
