import type { InternalEventContract, RequestContract, SignalContract } from './bus.ts';
import { type Operation, tags } from './operation.ts';
import * as resources from './resources.ts';
import { type ServiceName, serviceNames } from './services.ts';

export * from './access-register.ts';
export * from './bus.ts';
export * from './card-identifier.ts';
export * from './errors.ts';
export * from './event-types.ts';
export * from './event-visibility.ts';
export * from './lineage.ts';
export * from './log-register.ts';
export * from './occurrences.ts';
export * from './operation.ts';
export * from './place.ts';
export * from './registers.ts';
export * from './release.ts';
export * from './resources.ts';
export * from './response.ts';
export * from './scalars.ts';
export * from './services.ts';

const declared: unknown[] = Object.values(resources);
const has = (one: unknown, part: string) => typeof one === 'object' && one !== null && part in one;

/** Whether the gateway answers an operation itself, so that it has no bus request. */
export const isOwn = ({ subject }: Pick<RequestContract, 'subject'>): boolean => subject.startsWith('rpc.gateway.');

/** Every request that a service serves. */
export const declaredRequests = declared
  .filter((one): one is RequestContract => has(one, 'reply') && has(one, 'subject'))
  .filter((one) => !isOwn(one));

/** The services that one sends requests to, in the order of their start. */
export const askedBy = (asking: ServiceName): ServiceName[] =>
  serviceNames.filter((name) =>
    declaredRequests.some(({ subject, callers }) => subject.startsWith(`rpc.${name}.`) && callers.includes(asking)),
  );

/** Every internal event that a service appends to its feeds. */
export const declaredInternalEvents = declared.filter(
  (one): one is InternalEventContract => has(one, 'schema') && has(one, 'type'),
);

/** Every signal that a service sends. */
export const declaredSignals = declared.filter((one): one is SignalContract => has(one, 'signal'));

const tagNames = Object.keys(tags);

/** Every operation of the API, in the order of its page. */
export const declaredOperations = declared
  .filter((one): one is Operation => has(one, 'http'))
  .sort(({ http: a }, { http: b }) => tagNames.indexOf(a.tag) - tagNames.indexOf(b.tag) || a.order - b.order);
