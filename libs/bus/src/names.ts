import { defineRequest, type RegisterName, type RequestContract, registers } from '@cardinal/contracts';
import { z } from 'zod';

/** A key-value bucket (`register.ts`) as JetStream names its parts. */
export const partsOf = (name: RegisterName) => {
  const { bucket } = registers[name];
  return {
    stream: `KV_${bucket}`,
    subjects: `$KV.${bucket}.>`,
    subjectOf: (key: string): string => `$KV.${bucket}.${key}`,
  };
};

/** Where a user of the broker receives answers: no other user may subscribe there. */
export const inboxPrefixOf = (user: string): string => `${inboxes}${user}`;

/** What every inbox begins with. */
export const inboxes = '_INBOX.';

/** The service that serves a request. */
export const serviceOf = ({ subject }: Pick<RequestContract, 'subject'>): string => subject.split('.')[1] ?? subject;

/** Asks whether a service can do its work; every process that serves a request of the service serves this one, too. */
export const pingOf = (service: string) => defineRequest(`${service}.ping`, z.strictObject({}), z.strictObject({}));
