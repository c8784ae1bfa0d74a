/** What a user of the bus may do; subjects as NATS writes them. */
export interface BusUser {
  name: string;
  password: string;
  /** Everything is allowed where this is left out. */
  publish?: string[];
  subscribe?: string[];
}

const stream = 'CARDINAL_EVENTS';

/** Consuming the events: look at the stream, make a durable consumer on it, fetch and acknowledge. */
const consuming = [
  '$JS.API.INFO',
  '$JS.API.STREAM.NAMES',
  `$JS.API.STREAM.INFO.${stream}`,
  `$JS.API.CONSUMER.*.${stream}.>`,
  `$JS.API.CONSUMER.*.*.${stream}.>`,
  `$JS.API.CONSUMER.MSG.NEXT.${stream}.>`,
  `$JS.ACK.${stream}.>`,
];

/** Services that have a user of their own on the bus, and the deploy step. */
export const busUserNames = ['gateway', 'card', 'identifier', 'dependency', 'attachment', 'deploy'] as const;
export type BusUserName = (typeof busUserNames)[number];

/** Every service's user, with only the subjects that it needs (architecture, "Bus"). */
export const serviceUsers = (passwords: Record<BusUserName, string>): BusUser[] => [
  {
    name: 'gateway',
    password: passwords.gateway,
    publish: ['rpc.card.*', 'rpc.identifier.*', 'rpc.dependency.*', 'rpc.attachment.*'],
    subscribe: ['_INBOX.>'],
  },
  {
    name: 'card',
    password: passwords.card,
    publish: [
      'rpc.identifier.*',
      'rpc.dependency.project-card-deleted',
      'evt.card.>',
      'evt.outbox.card.*',
      ...consuming,
    ],
    subscribe: ['rpc.card.*', '_INBOX.>'],
  },
  {
    name: 'identifier',
    password: passwords.identifier,
    publish: ['rpc.card.*', 'evt.workstream.>', 'evt.outbox.identifier.*', ...consuming],
    subscribe: ['rpc.identifier.*', '_INBOX.>'],
  },
  {
    name: 'dependency',
    password: passwords.dependency,
    publish: [
      'rpc.card.summarize-cards',
      'rpc.card.project-dependency',
      'evt.dependency.>',
      'evt.outbox.dependency.*',
      ...consuming,
    ],
    subscribe: ['rpc.dependency.*', '_INBOX.>'],
  },
  {
    name: 'attachment',
    password: passwords.attachment,
    publish: [
      'rpc.card.get-board',
      'rpc.card.summarize-cards',
      'rpc.card.find-subtask',
      'rpc.card.project-linked-file',
      'evt.cover.>',
      'evt.linked-file.>',
      'evt.outbox.attachment.*',
      ...consuming,
    ],
    subscribe: ['rpc.attachment.*', '_INBOX.>'],
  },
  {
    name: 'deploy',
    password: passwords.deploy,
    publish: ['$JS.API.>'],
    subscribe: ['_INBOX.>'],
  },
];
