export { type Bus, type BusOptions, connectBus } from './bus.ts';
export type { ConsumeOptions } from './consume.ts';
export type { Handler } from './server.ts';
export { declareStreams } from './streams.ts';
