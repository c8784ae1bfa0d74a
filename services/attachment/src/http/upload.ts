import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Parts } from '../parts.ts';
import { receiveUpload } from '../uploads/receive.ts';
import type { Address } from './address.ts';
import { sendJson } from './answer.ts';

/** The file's bytes come in. */
export const upload = async (parts: Parts, at: Address, request: IncomingMessage, response: ServerResponse) => {
  const length = request.headers['content-length'];
  const data = await receiveUpload(parts, {
    ...at,
    announced: length === undefined ? undefined : Number(length),
    // A refusal must not tear the connection down that carries it.
    bytes: request.iterator({ destroyOnReturn: false }),
  });
  sendJson(response, 200, { data });
};
