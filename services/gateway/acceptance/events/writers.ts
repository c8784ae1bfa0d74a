import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Answer, type Body, Client, together, untilAnswered } from '../workspace.ts';

/** A change that was answered: there has to be exactly one event of it. */
export interface Acknowledged {
  type: string;
  id: string;
  version: number;
}

interface WritersOptions {
  client: Client;
  columnId: string;
  /** Where requests go, in turn. */
  baseUrls: () => readonly string[];
  count: number;
  /** The pause of a writer between two requests, ms. It leaves most of the machine to processes that start. */
  thinkMs: number;
}

/** Clients that write cards of their own. They repeat each request until it succeeds or is refused. */
export const startWriters = ({ client, columnId, baseUrls, count, thinkMs }: WritersOptions) => {
  const acknowledged: Acknowledged[] = [];
  let [isOver, turn] = [false, 0];

  const send = async (method: string, path: string, options: Parameters<Client['send']>[2] = {}): Promise<Answer> => {
    await pause(thinkMs);
    const given = method === 'POST' ? { key: randomUUID(), ...options } : options;
    return untilAnswered(() => {
      turn += 1;
      const all = baseUrls();
      const stack = { ...client.stack, baseUrl: all[turn % all.length] as string };
      return new Client(stack, client.workspaceId, client.userId, client.token).send(method, path, given);
    });
  };
  const note = (type: string, { status, body, text }: Answer, expected: number): Body => {
    expect(status, text).toBe(expected);
    acknowledged.push({ type, id: body.data.id, version: body.data.version });
    return body.data;
  };
  /** Edits a resource that no other client writes: where its version has passed, an earlier attempt did it. */
  const patch = async (path: string, type: string, { version }: Body, body: Body): Promise<Body> => {
    const answer = await send('PATCH', path, { ifMatch: version, body });
    return note(type, answer.status === 412 ? await send('GET', path) : answer, 200);
  };
  const round = async (name: string) => {
    const path = `/columns/${columnId}/cards`;
    let card = note('card.created', await send('POST', path, { body: { title: name } }), 201);
    card = await patch(`/cards/${card.id}`, 'card.updated', card, { title: `${name}, edited` });
    const archived = await send('POST', `/cards/${card.id}/archive`, { ifMatch: card.version });
    card = note('card.archived', archived, 200);
    const said = await send('POST', `/cards/${card.id}/comments`, { body: { body: name } });
    const comment = note('comment.created', said, 201);
    await patch(`/comments/${comment.id}`, 'comment.updated', comment, { body: `${name}, again` });
  };
  const done = together(count, async (writer) => {
    for (let at = 0; !isOver; at += 1) await round(`card ${writer}.${at}`);
  });
  return {
    acknowledged,
    /** Ends the writers. @throws what any of them met */
    stop: async () => {
      isOver = true;
      await done;
    },
    /** Resolves when they have ended, which none does by itself unless something is wrong. */
    done,
  };
};

const nameOf = ({ type, id, version }: Acknowledged) => `${type} ${id} ${version}`;

/**
 * Checks that a follower got every answered change once, in the order of versions.
 * @param events of cards and comments, in the order in which they came
 */
export const expectAllOnce = (events: readonly Body[], acknowledged: readonly Acknowledged[]): void => {
  const told = events
    .filter(({ type }) => /^(card|comment)\./.test(type))
    .map(({ type, subject: { id, version } }) => ({ type, id, version }));
  expect(told.map(nameOf).sort()).toEqual(acknowledged.map(nameOf).sort());
  const last = new Map<string, number>();
  for (const { id, version } of told) {
    expect(version, `${id} after ${last.get(id)}`).toBeGreaterThan(last.get(id) ?? 0);
    last.set(id, version);
  }
};
