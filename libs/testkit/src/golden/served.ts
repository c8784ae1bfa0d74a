import type { EventContract, RequestContract } from '@cardinal/contracts';
import { declaredEvents as everyEvent, declaredRequests as everyRequest } from '@cardinal/contracts/declared';

/** Every request that is declared for a service, by the beginning of its name: `card.`. */
export const declaredRequests = (service: string): RequestContract[] =>
  everyRequest.filter(({ subject }) => subject.startsWith(`rpc.${service}`));

/** Every event that is declared of what a service owns, by the beginnings of their types: `cover.`, `linked-file.`. */
export const declaredEvents = (...capabilities: string[]): EventContract[] =>
  everyEvent.filter(({ type }) => capabilities.some((capability) => type.startsWith(capability)));
