import { CardinalError, type RawAnswer, type RawRequest } from '@cardinal/client/source';
import { errorStatus } from '@cardinal/contracts';
import { type Api, Refusal } from '@cardinal/mcp/stdio';

const isOfApi = (code: string): code is keyof typeof errorStatus => code in errorStatus;

const refusalOf = ({ code, message, details, requestId }: CardinalError): Refusal => {
  if (code === 'connection_failed' || code === 'timed_out') return new Refusal('connection_failed', message);
  return new Refusal(isOfApi(code) ? code : 'internal', message, { details, ...(requestId && { requestId }) });
};

/** Asks the service as the client does, repetitions included. */
export const clientApi =
  (send: (request: RawRequest) => Promise<RawAnswer>): Api =>
  async (request) => {
    try {
      const { status, headers, body } = await send(request);
      return { status, headers: Object.fromEntries(headers), body };
    } catch (error) {
      throw error instanceof CardinalError ? refusalOf(error) : error;
    }
  };
