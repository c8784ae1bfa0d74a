import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServiceContext } from '../context.ts';
import { receiveUpload } from '../uploads/receive.ts';
import { sendJson } from './responses.ts';
import type { Address } from './signed-urls.ts';

/** A client that announced its body and waits to be told to send it (RFC 9110, 10.1.1). */
export interface Expectation {
  /** Tells it to go on. */
  meet(): void;
  /** Whether it still waits. */
  isAwaited(): boolean;
}

/** The file's bytes come in. */
export const upload = async (
  context: ServiceContext,
  at: Address,
  request: IncomingMessage,
  response: ServerResponse,
  expectation: Expectation,
): Promise<void> => {
  const length = request.headers['content-length'];
  async function* bytes(): AsyncGenerator<Uint8Array> {
    expectation.meet();
    // A refusal must not tear the connection down that carries it.
    yield* request.iterator({ destroyOnReturn: false });
  }
  const data = await receiveUpload(context, {
    ...at,
    announced: length === undefined ? undefined : Number(length),
    bytes: bytes(),
  });
  sendJson(response, 200, { data });
};
