export { type Access, accessOf, type BusUserName, busUserNames } from './access.ts';
export type { Broker } from './broker.ts';
export { brokerProblem, checkBroker } from './broker-problem.ts';
export { type Bus, type BusOptions, connectBus } from './bus.ts';
export { declareRegisters } from './declare-registers.ts';
export { pingOf } from './names.ts';
export { onRegister, type Register, type RegisterEntry } from './register.ts';
export { createLocalCalls, type LocalCalls } from './requests/local.ts';
