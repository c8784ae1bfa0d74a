import type { IncomingMessage } from 'node:http';
import { apiPrefix } from '@cardinal/contracts';
import type { Api } from '@cardinal/mcp';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import inject from 'light-my-request';

/** An assistant's message while its requests are answered. */
interface Message {
  request: FastifyRequest;
  /** Whether one of its requests has passed as the request that the message was counted for. */
  isSpent: boolean;
}

const messages = new WeakMap<IncomingMessage, Message>();

/** The message for which this process made a request; undefined for requests from outside. */
export const messageOf = ({ raw }: FastifyRequest): FastifyRequest | undefined => messages.get(raw)?.request;

/** Whether a request is the first one of a message: the message was counted on arrival. */
export const isCountedAlready = ({ raw }: FastifyRequest): boolean => {
  const message = messages.get(raw);
  if (!message || message.isSpent) return false;
  message.isSpent = true;
  return true;
};

const parsed = (text: string): unknown => {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Gives a request the caller, request id and trace of the message that it is made for. */
const inherited = (request: FastifyRequest) => {
  const { authorization } = request.headers;
  const { requestId, traceparent } = request.requestContext;
  return {
    ...(authorization === undefined ? {} : { authorization }),
    ...(traceparent === undefined ? {} : { traceparent }),
    'x-request-id': requestId,
  };
};

/**
 * Sends requests through this process's own routes, with the token of a message (ADR 0069): all checks of the API apply,
 * also while the server closes. Together they hold the bytes of the message, and the first one is not counted again.
 */
export const ownRequests = (app: FastifyInstance, request: FastifyRequest): Api => {
  const message: Message = { request, isSpent: false };
  return async ({ method, path, headers, body }) => {
    const route = (raw: IncomingMessage, response: Parameters<FastifyInstance['routing']>[1]) => {
      messages.set(raw, message);
      app.routing(raw, response);
    };
    const answer = await inject(route as inject.DispatchFunc, {
      method: method as NonNullable<inject.InjectOptions['method']>,
      url: apiPrefix + path,
      remoteAddress: request.ip,
      headers: {
        ...inherited(request),
        ...headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    return {
      status: answer.statusCode,
      headers: answer.headers as Record<string, string | undefined>,
      body: parsed(answer.payload),
    };
  };
};
