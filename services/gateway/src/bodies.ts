import type { IncomingMessage } from 'node:http';
import { CardinalError, validationError } from '@cardinal/contracts';
import { askForBody, hasEmptyBody, waitsToSend } from '@cardinal/edge';
import type { FastifyInstance, FastifySchemaCompiler, onRequestHookHandler } from 'fastify';
import type { z } from 'zod';
import { brokenRules, inWords } from './validation.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The JSON value of the body as it was sent; undefined where there was none. */
    sentBody: unknown;
  }
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBracket = 0x5b;
const openBrace = 0x7b;

/**
 * Whether a JSON text has more than so many members and elements, nested ones included. Counted in the bytes, without
 * parsing: a mebibyte of small fields takes a parser fifty times as long as one of text.
 */
export const hasMoreMembersThan = (json: Uint8Array, most: number): boolean => {
  let count = 0;
  let isInString = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (isInString) {
      if (byte === backslash) at += 1;
      else if (byte === quote) isInString = false;
    } else if (byte === quote) isInString = true;
    else if (byte === comma || byte === openBracket || byte === openBrace) {
      count += 1;
      if (count > most) return true;
    }
  }
  return false;
};

/** The most that a JSON body may be, in bytes. */
export const bodyLimit = 1024 * 1024;

/** Skips a byte order mark (RFC 8259 8.1). */
const utf8 = new TextDecoder('utf-8', { fatal: true });

const textOf = (bytes: Buffer): string => {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new CardinalError('invalid_request', 'The body is not valid UTF-8');
  }
};

/** `__proto__` becomes a field like any other, which the schemas do not know: nothing here copies fields by name. */
const parseJson = (bytes: Buffer, maxMembers: number): unknown => {
  if (bytes.length === 0) return undefined;
  // A body with more members is invalid, and parsing it would delay others.
  if (hasMoreMembersThan(bytes, maxMembers)) {
    throw validationError([{ path: [], message: `The body has more than ${maxMembers} members and elements` }]);
  }
  const text = textOf(bytes);
  try {
    return JSON.parse(text);
  } catch {
    throw new CardinalError('invalid_request', 'The body is not valid JSON');
  }
};

/** Whether any byte of a body arrives; discards the bytes. A body that breaks off counts: the request must not be carried out. */
const carriesBytes = (stream: IncomingMessage): Promise<boolean> =>
  new Promise((resolve) => {
    stream.once('data', () => resolve(true));
    stream.once('end', () => resolve(false));
    stream.once('close', () => resolve(true));
  });

const compile: FastifySchemaCompiler<z.ZodType> =
  ({ schema }) =>
  (value: unknown) => {
    const { data, error } = schema.safeParse(value ?? undefined, { error: inWords });
    return error ? { error: brokenRules('validation_error', error) } : { value: data };
  };

/**
 * Accepts JSON bodies, answers 415 to others, and 422 with every broken field to bodies that break their schemas.
 * `bodyLimit` bounds their size.
 */
export const jsonBodies = (api: FastifyInstance): void => {
  api.setValidatorCompiler(compile);
  api.addHook('preParsing', (request, reply, _payload, done) => {
    askForBody(request, reply);
    done();
  });
  api.decorateRequest('sentBody', undefined);
  api.addContentTypeParser(
    /^application\/(?:[^;\s]+\+)?json(?:;|$)/,
    { parseAs: 'buffer', bodyLimit },
    (request, bytes, done) => {
      request.sentBody = parseJson(bytes as Buffer, request.routeOptions.config.operation?.maxMembers ?? 0);
      // The framework would pass `null` on as no body, which is valid where a body is optional.
      if (request.sentBody === null) throw validationError([{ path: [], message: 'The body must be an object' }]);
      done(null, request.sentBody);
    },
  );
  api.addContentTypeParser('*', async (_request: unknown, stream: IncomingMessage) => {
    if (await carriesBytes(stream)) {
      throw new CardinalError('unsupported_media_type', 'The body must be JSON, with Content-Type: application/json');
    }
  });
};

/** An empty body is no body, even where the request names a type. */
const forgetType = ({ headers }: IncomingMessage) => {
  if (headers['content-type'] !== undefined) delete headers['content-type'];
};

/** For endpoints that take a body. */
export const acceptBody: onRequestHookHandler = ({ raw }, _reply, done) => {
  if (hasEmptyBody(raw)) forgetType(raw);
  else if ((raw.headers['content-encoding'] ?? 'identity') !== 'identity') {
    done(new CardinalError('unsupported_media_type', 'The body must not be compressed'));
    return;
  }
  done();
};

/** For endpoints without a body: any byte is 400, of any type. A chunked body without a chunk is no body. */
export const refuseBody: onRequestHookHandler = ({ raw }, _reply, done) => {
  if (hasEmptyBody(raw)) {
    forgetType(raw);
    done();
    return;
  }
  const isAnnounced = raw.headers['content-length'] !== undefined || waitsToSend(raw);
  void (isAnnounced ? Promise.resolve(true) : carriesBytes(raw)).then((carries) => {
    if (carries) {
      done(new CardinalError('invalid_request', 'This request takes no body'));
      return;
    }
    delete raw.headers['transfer-encoding'];
    forgetType(raw);
    done();
  });
};
