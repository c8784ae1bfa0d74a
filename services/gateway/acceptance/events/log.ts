import { randomUUID } from 'node:crypto';
import { event } from '@cardinal/contracts';
import { eventually } from '@cardinal/testkit';
import { expect } from 'vitest';
import type { Body, Client } from '../workspace.ts';

/** A mark: once it is in the log, everything before it is. It belongs to the workspace, so everybody sees it. */
export const mark = (client: Client): Promise<Body> =>
  client.data(client.post('/labels', { body: { name: `mark ${randomUUID()}` } }));

/** Checks an event against its schema, member for member, and returns it. */
const wellFormed = (one: Body): Body => {
  expect(event.parse(one)).toEqual(one);
  return one;
};

/** A reader's events after an event up to a mark; asks again until the mark is there. */
const readTo = async (reader: Client, after: number, { id }: Body) =>
  eventually(async () => {
    const events = await reader.all(`/events?after=${after}`);
    const end = events.findIndex(({ subject }) => subject.id === id);
    expect(end, 'the log has what was written').toBeGreaterThanOrEqual(0);
    return { events: events.slice(0, end).map(wellFormed), last: events[end].seq as number };
  });

/**
 * Reads the log of a workspace on and on.
 * @param writer writes the marks
 * @param reader whose view of it is read
 */
export const watchLog = async (writer: Client, reader = writer) => {
  let last = 0;
  /** What the reader sees of everything that was answered since the last call, however late the log is. */
  const news = async (): Promise<Body[]> => {
    const read = await readTo(reader, last, await mark(writer));
    last = read.last;
    return read.events;
  };
  await news();
  return { news };
};

/** What a reader sees of everything that was answered until now. */
export const logOf = async (writer: Client, reader = writer): Promise<Body[]> =>
  (await readTo(reader, 0, await mark(writer))).events;

/** The types of events, in their order. */
export const typesOf = (events: readonly Body[]): string[] => events.map(({ type }) => type);
