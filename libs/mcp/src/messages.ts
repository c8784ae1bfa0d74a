import type { JSONRPCErrorResponse, JSONRPCMessage } from '@modelcontextprotocol/server';

/** A message that the protocol's library accepts, or the answer to one that it does not. */
export type Received = { message: JSONRPCMessage } | { refusal: JSONRPCErrorResponse };

type Members = Record<string, unknown>;

const codes = { parse: -32_700, request: -32_600, params: -32_602 } as const;

/** @param id of the request, where it can be known */
export const refusalOf = (id: unknown, code: keyof typeof codes, message: string): JSONRPCErrorResponse => ({
  jsonrpc: '2.0',
  // JSON-RPC 2.0, section 5: null where the id of the request cannot be known; the library's type has no null.
  id: (typeof id === 'string' || typeof id === 'number' ? id : null) as unknown as string,
  error: { code: codes[code], message },
});

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** PHP writes an empty object as an empty list. */
const isEmpty = (value: unknown) => value === null || value === '' || (Array.isArray(value) && value.length === 0);

const withoutEmpty = (members: Members): Members =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => !isEmpty(value)));

/** Bridges hand on the text that a model wrote. */
const parsedArguments = (value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
};

const paramsOf = (params: Members): Members => {
  const { arguments: given, _meta: meta, ...rest } = params;
  return withoutEmpty({
    ...rest,
    _meta: isObject(meta) ? withoutEmpty(meta) : (meta ?? null),
    arguments: parsedArguments(given) ?? null,
  });
};

/**
 * Reads a message, so that whatever has an id is answered. Members of `params` that say nothing (null, which clients in Python,
 * Go and C# write for what they leave out) are left out.
 */
export const received = (raw: unknown): Received => {
  if (!isObject(raw)) return { refusal: refusalOf(null, 'request', 'A message is one JSON object') };
  const { id, method, params, jsonrpc } = raw;
  const isAnswer = method === undefined && ('result' in raw || 'error' in raw);
  if (isAnswer) return { message: raw as JSONRPCMessage };
  if (jsonrpc !== '2.0') return { refusal: refusalOf(id, 'request', '`jsonrpc` must be "2.0"') };
  if (typeof method !== 'string') return { refusal: refusalOf(id, 'request', '`method` must be a text') };
  const isId = typeof id === 'string' || Number.isSafeInteger(id);
  if ('id' in raw && !isId) return { refusal: refusalOf(id, 'request', '`id` must be a text or a whole number') };
  if (params === undefined || isEmpty(params)) {
    const { params: _, ...message } = raw;
    return { message: message as JSONRPCMessage };
  }
  if (!isObject(params)) return { refusal: refusalOf(id, 'params', '`params` must be an object') };
  return { message: { ...raw, params: paramsOf(params) } as JSONRPCMessage };
};
