import { type Document, dataOf, pageOf } from '@cardinal/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { alreadyHas } from '../http/if-none-match.ts';
import { apiPrefix } from '../http/prefix.ts';

/** Headers that some replies carry, by the name under which the API page explains them. */
type ReplyHeader = 'ETag' | 'Location' | 'Idempotent-Replayed';

/** How an endpoint's answer becomes an HTTP response, and what the API page says of it. */
export interface Reply<Answer> {
  status: 200 | 201 | 204 | 302;
  /** Also answers `If-None-Match` with 304. */
  isConditional: boolean;
  /** Also answers 204, where there is nothing to show. */
  isOptional?: boolean;
  headers: ReplyHeader[];
  schema: z.ZodType | undefined;
  send(request: FastifyRequest, reply: FastifyReply, answer: Answer): FastifyReply;
}

interface Versioned {
  id: string;
  version: number;
}

interface Outcome<Resource> {
  resource: Resource;
  replayed: boolean;
}

const json = 'application/json; charset=utf-8';

/** `{"data": …}` around a text that its owner made. */
const sendData = (reply: FastifyReply, { head: { version, replayed }, text }: Document): FastifyReply => {
  if (version !== undefined) reply.header('etag', `"${version}"`);
  if (replayed) reply.header('idempotent-replayed', 'true');
  return reply.type(json).send(`{"data":${text}}`);
};

/** 200 with a versioned resource and its ETag, or 304. */
export const versioned = <Resource extends z.ZodType<Versioned>>(
  resource: Resource,
): Reply<Document<z.output<Resource>>> => ({
  status: 200,
  isConditional: true,
  headers: ['ETag'],
  schema: dataOf(resource),
  send(request, reply, answer) {
    const { version = 0 } = answer.head;
    const { ifNoneMatch } = request;
    if (ifNoneMatch !== undefined && alreadyHas(ifNoneMatch, version)) {
      return reply.code(304).header('etag', `"${version}"`).send();
    }
    return sendData(reply, answer);
  },
});

/** 200 with a versioned resource after a change of it. */
export const changed = <Resource extends z.ZodType<Versioned>>(
  resource: Resource,
): Reply<Document<Outcome<z.output<Resource>>>> => ({
  status: 200,
  isConditional: false,
  headers: ['ETag'],
  schema: dataOf(resource),
  send: (_request, reply, answer) => sendData(reply, answer),
});

/** 201 with a new resource and where it lives: `/<collection>/<id>`. */
export const created = <Resource extends z.ZodType<Pick<Versioned, 'id'>>>(
  resource: Resource,
  collection: 'boards' | 'columns' | 'cards' | 'workstreams' | 'labels' | 'comments' | 'subtasks' | 'files',
): Reply<Document<Outcome<z.output<Resource>>>> => ({
  status: 201,
  isConditional: false,
  // Files have no version.
  headers: collection === 'files' ? ['Location'] : ['ETag', 'Location'],
  schema: dataOf(resource),
  send: (_request, reply, answer) =>
    sendData(reply.code(201).header('location', `${apiPrefix}/${collection}/${answer.head.id}`), answer),
});

/** 200 with the versioned resource that a desired-state write leaves behind. */
export const settled = <Resource extends z.ZodType<Versioned>>(
  resource: Resource,
): Reply<Document<z.output<Resource>>> => ({ ...unversioned(resource), headers: ['ETag'] });

/** 200 with what has no version of its own. */
export const unversioned = <Value extends z.ZodType>(value: Value): Reply<Document<z.output<Value>>> => ({
  status: 200,
  isConditional: false,
  headers: [],
  schema: dataOf(value),
  send: (_request, reply, answer) => sendData(reply, answer),
});

/** 200 with one page of a list. */
export const listed = <Item extends z.ZodType>(
  item: Item,
): Reply<Document<{ items: z.output<Item>[]; next_cursor: string | null }>> => ({
  status: 200,
  isConditional: false,
  headers: [],
  schema: pageOf(item),
  send(_request, reply, { head: { next_cursor = null }, text }) {
    const page = JSON.stringify({ next_cursor, has_more: next_cursor !== null });
    return reply.type(json).send(`{"data":${text},"page":${page}}`);
  },
});

/** 204. */
export const deleted: Reply<unknown> = {
  status: 204,
  isConditional: false,
  headers: [],
  schema: undefined,
  send: (_request, reply) => reply.code(204).send(),
};
