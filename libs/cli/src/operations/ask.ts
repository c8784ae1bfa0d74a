import type { CardinalClient, Listing, PatchOptions, PostOptions } from '@cardinal/client/source';
import { declaredOperations, type HttpOperation, placeOf } from '@cardinal/contracts';
import type { Call } from '@cardinal/mcp/calls';

/** Where each operation stands in the client, and so in the program. What is followed has commands of its own. */
export const places: { operation: HttpOperation; group: string; method: string }[] = declaredOperations
  .map(({ http }) => http)
  .filter(({ reply }) => reply.kind !== 'stream')
  .map((operation, _, all) => {
    const { group, name } = placeOf({ ...operation, isStream: false }, all);
    return { operation, group, method: name };
  });

type Method = (...given: unknown[]) => unknown;

const methodOf = (client: CardinalClient, operation: HttpOperation): Method => {
  const place = places.find((one) => one.operation.id === operation.id);
  const groups = client as unknown as Record<string, Record<string, Method>>;
  const method = place && groups[place.group]?.[place.method];
  if (!method) throw new Error(`the client has no method for ${operation.id}`);
  return method;
};

/** The read of what a command with `If-Match` changes: its path up to the last parameter. */
const readOf = ({ path }: HttpOperation): HttpOperation => {
  const read = path.replace(/^(.*:\w+).*$/, '$1');
  const found = places.find(({ operation }) => operation.method === 'GET' && operation.path === read);
  if (!found) throw new Error(`no operation reads ${read}`);
  return found.operation;
};

/** The method's arguments before its options. Where no version was said, the current one is read. */
const argumentsOf = async (client: CardinalClient, operation: HttpOperation, call: Call): Promise<unknown[]> => {
  const { path, requires, body, query } = operation;
  const ids: unknown[] = (path.match(/:\w+/g) ?? []).map((name) => call.params[name.slice(1)]);
  if (requires.includes('If-Match')) {
    const version =
      call.version ?? ((await methodOf(client, readOf(operation))(...ids)) as { version: number }).version;
    ids.push({ id: ids.pop(), version });
  }
  const isNarrowed = Object.keys(query.shape).some((field) => !['limit', 'cursor'].includes(field));
  return [...ids, ...(body ? [call.body] : []), ...(isNarrowed ? [call.query] : [])];
};

/**
 * Asks for an operation that answers no list of pages.
 * @param merge of a PATCH: `merge` of the client
 * @returns its data, or the download; and whether it was done before, under the same idempotency key
 * @throws CardinalError
 */
export const ask = async (
  client: CardinalClient,
  operation: HttpOperation,
  call: Call,
  merge = false,
): Promise<{ data: unknown; isReplay: boolean }> => {
  let isReplay = false;
  const options: PostOptions & PatchOptions = {
    merge,
    ...(call.key === undefined ? {} : { idempotencyKey: String(call.key) }),
    onReply: ({ replayed }) => {
      isReplay = replayed;
    },
  };
  const data = await methodOf(client, operation)(...(await argumentsOf(client, operation, call)), options);
  return { data: data ?? null, isReplay };
};

/** Items of a page at most. */
const pageSize = 100;

/** The items of a list as they come, page by page, as many as `most`. @throws CardinalError */
export async function* itemsOf(
  client: CardinalClient,
  operation: HttpOperation,
  call: Call,
  most: number,
): AsyncGenerator<object> {
  const given = await argumentsOf(client, operation, call);
  const list = methodOf(client, operation)(...given, { pageSize: Math.min(pageSize, most) }) as Listing<object>;
  let left = most;
  for await (const item of list) {
    yield item;
    left -= 1;
    if (left === 0) return;
  }
}
