import * as contracts from '@cardinal/contracts';
import type { EventContract, RequestContract } from '@cardinal/contracts';

const declared = Object.values(contracts) as unknown[];
const has = (one: unknown, part: string) => typeof one === 'object' && one !== null && part in one;
const isRequest = (one: unknown): one is RequestContract => has(one, 'reply') && has(one, 'subject');
const isEvent = (one: unknown): one is EventContract => has(one, 'schema') && has(one, 'subject');

/** Every request that is declared for a service, by the beginning of its name: `card.`. */
export const declaredRequests = (service: string): RequestContract[] =>
  declared.filter(isRequest).filter(({ subject }) => subject.startsWith(`rpc.${service}`));

/** Every event that is declared of what a service owns, by the beginnings of their types: `cover.`, `linked-file.`. */
export const declaredEvents = (...capabilities: string[]): EventContract[] =>
  declared.filter(isEvent).filter(({ type }) => capabilities.some((capability) => type.startsWith(capability)));
