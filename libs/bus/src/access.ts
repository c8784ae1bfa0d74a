import {
  declaredRequests,
  declaredSignals,
  keysOf,
  registerNames,
  type ServiceName,
  serviceNames,
} from '@cardinal/contracts';
import { inboxPrefixOf, partsOf, pingOf } from './names.ts';
import { maxItems } from './requests/wire.ts';

/** The permissions of a user of the broker. Subjects are NATS patterns. */
export type Access = ReturnType<typeof accessOf>;

/** Users of the broker: the services, and the deploy step, which also inspects. */
export const busUserNames = [...serviceNames, 'deploy'] as const;
export type BusUserName = (typeof busUserNames)[number];

/** Services that serve requests. */
const serving = serviceNames.filter((name) =>
  declaredRequests.some(({ subject }) => subject.startsWith(`rpc.${name}.`)),
);
const requests = [...declaredRequests, ...serving.map(pingOf)];

const expires = '1m';

/** The subjects to read and write the user's register. No user may create or delete one, or remove entries. */
const registering = (user: ServiceName): string[] =>
  registerNames.flatMap((name) => {
    const { stream, subjectOf } = partsOf(name);
    const keys = keysOf(name, user);
    return keys.length > 0 ? [`$JS.API.STREAM.MSG.GET.${stream}`, ...keys.map(subjectOf)] : [];
  });

/**
 * The subjects that a user of the broker needs, and no others: its requests, its signals, its keys of the register and
 * its inbox (ARCHITECTURE, "Bus"). All of it follows from the contracts.
 */
export const accessOf = (user: BusUserName) => {
  const subscribe = [`${inboxPrefixOf(user)}.>`];
  if (user === 'deploy')
    return {
      publish: ['$JS.API.>', ...registerNames.map((name) => partsOf(name).subjects)],
      subscribe,
      responses: { max: 1, expires },
    };
  // Sorted, as files are written from it and the load order of contracts varies.
  const calls = requests.flatMap(({ callers, subject }) => (callers.includes(user) ? [subject] : [])).sort();
  const served = serving.includes(user);
  const signals = (end: 'from' | 'to') =>
    declaredSignals.flatMap((one) => (one[end].includes(user) ? [one.signal] : [])).sort();
  return {
    publish: [...calls, ...signals('from'), ...registering(user)],
    subscribe: [...(served ? [`rpc.${user}.*`] : []), ...signals('to'), ...subscribe],
    // Messages to the reply subject of each received message: one reply per item. Users that serve nothing need one, to
    // acknowledge a large answer.
    responses: { max: served ? maxItems : 1, expires },
  };
};
