/** The one stream that every event goes through. */
export const eventStream = 'CARDINAL_EVENTS';

/** Where the outbox of a service leaves its marks in the stream, see `watchStream`. */
export const outboxMarks = (service: string): string => `evt.outbox.${service}`;

/** Where answers to a user of the broker come to: nobody else can listen there. */
export const inboxPrefixOf = (user: string): string => `${inboxes}${user}`;

/** What every inbox begins with. */
export const inboxes = '_INBOX.';
