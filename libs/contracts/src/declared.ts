import type { EventContract } from './bus/event.ts';
import type { RequestContract } from './bus/request.ts';
import * as contracts from './index.ts';

const declared = Object.values(contracts) as unknown[];
const has = (one: unknown, part: string) => typeof one === 'object' && one !== null && part in one;

/** Every request that a service serves. */
export const declaredRequests = declared.filter(
  (one): one is RequestContract => has(one, 'reply') && has(one, 'subject'),
);

/** Every event that a service emits. */
export const declaredEvents = declared.filter((one): one is EventContract => has(one, 'schema') && has(one, 'subject'));
