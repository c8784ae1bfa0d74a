export { type TestDatabase, testDatabase } from './database.ts';
export { type TestNats, testNats } from './nats.ts';
