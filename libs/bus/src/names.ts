import { defineRequest, type RegisterName, registers } from '@cardinal/contracts';
import { z } from 'zod';

/** The one stream that every event goes through. */
export const eventStream = 'CARDINAL_EVENTS';

/** A key-value bucket (`register.ts`) as JetStream names its parts. */
export const partsOf = (name: RegisterName) => {
  const { bucket } = registers[name];
  return {
    stream: `KV_${bucket}`,
    subjects: `$KV.${bucket}.>`,
    subjectOf: (key: string): string => `$KV.${bucket}.${key}`,
  };
};

/** Where the outbox of a service leaves its marks in the stream, see `watchStream`. */
export const outboxMarks = (service: string): string => `evt.outbox.${service}`;

/** Where a user of the broker receives answers: no other user may subscribe there. */
export const inboxPrefixOf = (user: string): string => `${inboxes}${user}`;

/** What every inbox begins with. */
export const inboxes = '_INBOX.';

/** Asks whether a service can do its work; every process that serves a request of the service serves this one, too. */
export const pingOf = (service: string) => defineRequest(`${service}.ping`, z.strictObject({}), z.strictObject({}));
