import {
  type ConsumerContract,
  consumers,
  declaredRequests,
  declaredSignals,
  emittedSubjects,
  keysOf,
  registerNames,
  type ServiceName,
  serviceNames,
} from '@cardinal/contracts';
import { eventStream, inboxPrefixOf, outboxMarks, partsOf, pingOf } from './names.ts';
import { maxItems } from './requests/wire.ts';

/** What a user of the broker may do; subjects as NATS writes them. */
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

/** Fetching and acknowledging; with the right to create consumers a service could have messages sent to any subject. */
const reading = ({ durable }: ConsumerContract) => [
  `$JS.API.CONSUMER.INFO.${eventStream}.${durable}`,
  `$JS.API.CONSUMER.MSG.NEXT.${eventStream}.${durable}`,
  `$JS.ACK.${eventStream}.${durable}.>`,
];

/** Reading and writing the user's register; no user may create one, delete it or remove entries from it. */
const registering = (user: ServiceName): string[] =>
  registerNames.flatMap((name) => {
    const { stream, subjectOf } = partsOf(name);
    const keys = keysOf(name, user);
    return keys.length > 0 ? [`$JS.API.STREAM.MSG.GET.${stream}`, ...keys.map(subjectOf)] : [];
  });

/**
 * The subjects that a user of the broker needs, and no other: the requests that it makes, the events that it emits, the
 * consumers and the inbox that are its own (architecture, "Bus"). All of it follows from the contracts.
 */
export const accessOf = (user: BusUserName) => {
  const subscribe = [`${inboxPrefixOf(user)}.>`];
  if (user === 'deploy')
    return {
      publish: ['$JS.API.>', ...registerNames.map((name) => partsOf(name).subjects)],
      subscribe,
      responses: { max: 1, expires },
    };
  // In an order that does not depend on which contract was loaded first: files are written from it.
  const calls = requests.flatMap(({ callers, subject }) => (callers.includes(user) ? [subject] : [])).sort();
  const emitted = emittedSubjects(user);
  const own = Object.values(consumers).filter(({ service }) => service === user);
  const outbox = emitted.length > 0 ? [`$JS.API.STREAM.INFO.${eventStream}`, `${outboxMarks(user)}.*`] : [];
  const served = serving.includes(user);
  const signals = (end: 'from' | 'to') =>
    declaredSignals.flatMap((one) => (one[end].includes(user) ? [one.signal] : [])).sort();
  return {
    publish: [...calls, ...signals('from'), ...emitted, ...outbox, ...own.flatMap(reading), ...registering(user)],
    subscribe: [...(served ? [`rpc.${user}.*`] : []), ...signals('to'), ...subscribe],
    // Messages that a user may send to the reply subject of each message it got: a reply to each item; users that serve
    // nothing need one, to acknowledge a large answer.
    responses: { max: served ? maxItems : 1, expires },
  };
};
