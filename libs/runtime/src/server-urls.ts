import { z } from 'zod';

const databaseForm = 'postgres://user:password@host:5432/database';
const busForm = 'nats://user:password@host:4222';

/** What keeps a text from naming a Postgres; undefined where nothing does. */
export const databaseUrlProblem = (text: string): string | undefined => {
  if (!URL.canParse(text)) return `is no URL; it must look like ${databaseForm}`;
  const { protocol, hostname } = new URL(text);
  if (!['postgres:', 'postgresql:'].includes(protocol)) {
    return `begins with ${protocol}, but Cardinal keeps its data in Postgres; it must look like ${databaseForm}`;
  }
  return hostname ? undefined : `names no host; it must look like ${databaseForm}`;
};

/** What keeps a text from naming a NATS, or several with commas between them; undefined where nothing does. */
export const busUrlProblem = (text: string): string | undefined => {
  for (const one of text.split(',').map((part) => part.trim())) {
    const url = one.includes('://') ? one : /:\d+$/.test(one) ? `nats://${one}` : '';
    if (!URL.canParse(url)) return `is no URL; it must look like ${busForm}`;
    const { protocol, hostname } = new URL(url);
    if (!['nats:', 'tls:'].includes(protocol)) {
      return `begins with ${protocol}, but Cardinal's bus is NATS; it must look like ${busForm}`;
    }
    if (!hostname) return `names no host; it must look like ${busForm}`;
  }
  return undefined;
};

const without = (problem: (text: string) => string | undefined) =>
  z.string().superRefine((text, context) => {
    const message = problem(text);
    if (message) context.addIssue({ code: 'custom', message });
  });

/** `DATABASE_URL` of a service. */
export const databaseUrl = without(databaseUrlProblem);
/** `NATS_URL` of a service. */
export const busUrl = without(busUrlProblem);
