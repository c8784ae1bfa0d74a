import { defineRequest, type RegisterName, type RequestContract, registers } from '@cardinal/contracts';
import { z } from 'zod';

/** The JetStream names of a key-value bucket (`register.ts`). */
export const partsOf = (name: RegisterName) => {
  const { bucket } = registers[name];
  return {
    stream: `KV_${bucket}`,
    subjects: `$KV.${bucket}.>`,
    subjectOf: (key: string): string => `$KV.${bucket}.${key}`,
  };
};

/** Where a user of the broker receives answers. No other user may subscribe there. */
export const inboxPrefixOf = (user: string): string => `${inboxes}${user}`;

/** The prefix of every inbox. */
export const inboxes = '_INBOX.';

/** The service that serves a request. */
export const serviceOf = ({ subject }: Pick<RequestContract, 'subject'>): string => subject.split('.')[1] ?? subject;

/** Whether a subject is that of `pingOf`, which belongs to no request of a user: it has no span. */
export const isPing = (subject: string): boolean => subject.endsWith('.ping');

/**
 * The request that asks whether a service can work. Every process that serves a request of the service serves it too.
 */
export const pingOf = (service: string) => defineRequest(`${service}.ping`, z.strictObject({}), z.strictObject({}));
