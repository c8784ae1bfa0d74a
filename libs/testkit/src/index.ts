export { type TestDatabase, testDatabase } from './database.ts';
export { eventually } from './eventually.ts';
export { type Answer, type AnyResource, type Api, api, type Call } from './http/api.ts';
export { type ReceivedSpan, startOtlpReceiver } from './http/otlp-receiver.ts';
export { type TestNats, testNats } from './nats.ts';
export type { MemberName, ServiceName } from './stack/members.ts';
export { type SharedStack, sharedStack } from './stack/shared.ts';
export type { TokenWish, WrongTokens } from './stack/tokens.ts';
export { startWorld, type World, type WorldOptions } from './stack/world.ts';
