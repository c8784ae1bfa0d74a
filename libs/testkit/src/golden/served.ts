import * as contracts from '@cardinal/contracts';
import type { RequestContract } from '@cardinal/contracts';

const isRequest = (one: unknown): one is RequestContract =>
  typeof one === 'object' && one !== null && 'reply' in one && 'subject' in one;

/** Every request that is declared for a service, by the beginning of its name: `card.`. */
export const declaredRequests = (service: string): RequestContract[] =>
  (Object.values(contracts) as unknown[]).filter(isRequest).filter(({ subject }) => subject.startsWith(`rpc.${service}`));
