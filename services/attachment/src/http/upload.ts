import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Parts } from '../parts.ts';
import { receiveUpload } from '../uploads/receive.ts';
import type { Address } from './address.ts';
import { sendJson } from './answer.ts';

/** A client that announced its body and waits to be told to send it (RFC 9110, 10.1.1). */
export interface GoOn {
  /** Tells it. */
  now(): void;
  /** Whether it still waits. */
  isAwaited(): boolean;
}

/** The file's bytes come in. */
export const upload = async (
  parts: Parts,
  at: Address,
  request: IncomingMessage,
  response: ServerResponse,
  goOn: GoOn,
): Promise<void> => {
  const length = request.headers['content-length'];
  async function* bytes(): AsyncGenerator<Uint8Array> {
    goOn.now();
    // A refusal must not tear the connection down that carries it.
    yield* request.iterator({ destroyOnReturn: false });
  }
  const data = await receiveUpload(parts, {
    ...at,
    announced: length === undefined ? undefined : Number(length),
    bytes: bytes(),
  });
  sendJson(response, 200, { data });
};
