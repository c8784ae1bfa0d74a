import { type ClientOptions, createSender } from '@cardinal/client/source';
import type { HttpOperation } from '@cardinal/contracts';
import { type Api, type Call, type Outcome, perform, Refusal } from '@cardinal/mcp/calls';
import { CliError } from '../errors.ts';
import { accessOf, type Session } from '../session.ts';

/** The API as the client asks for it, repetitions included. @throws CliError without a token */
export const apiOf = (session: Session, options: Pick<ClientOptions, 'retry'> = {}): Api => {
  const { url: baseUrl, token } = accessOf(session);
  const send = createSender({ ...options, baseUrl, token });
  return async (request) => {
    const { status, headers, body } = await send(request);
    return { status, headers: Object.fromEntries(headers), body };
  };
};

/** Asks for an operation. @throws CardinalError as the client does; CliError for what is no request */
export const ask = async (api: Api, operation: HttpOperation, call: Call): Promise<Outcome> => {
  try {
    return await perform(api, operation, call);
  } catch (error) {
    throw error instanceof Refusal ? new CliError(error.message) : error;
  }
};

/** Items of a page at most. */
const pageSize = 100;

/** The items of a list, page by page; as many as `most`. */
export async function* itemsOf(
  api: Api,
  operation: HttpOperation,
  call: Call,
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<object> {
  let cursor: string | undefined;
  for (let left = most; left > 0; ) {
    const query = { ...call.query, limit: Math.min(pageSize, left), cursor };
    const { data, page } = await ask(api, operation, { ...call, query });
    const items = data as object[];
    yield* items.slice(0, left);
    left -= items.length;
    const { next_cursor: next } = page as { next_cursor: string | null };
    if (next === null) return;
    cursor = next;
  }
}
