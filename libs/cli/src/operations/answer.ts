import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { CardinalClient, Download } from '@cardinal/client/source';
import { createApiKey, type HttpOperation, rotateApiKey } from '@cardinal/contracts';
import type { Call } from '@cardinal/mcp/calls';
import { z } from 'zod';
import { CliError } from '../errors.ts';
import type { Directory } from '../names/directory.ts';
import { isForPerson, printList, printOne } from '../print.ts';
import type { Session } from '../session.ts';
import { columnsOf } from '../tables.ts';
import { ask, itemsOf } from './ask.ts';

/** Rows of a list where nobody says how many. */
export const usualMost = 1_000;

/** Rows whose names are read together. */
const namedAtOnce = 100;

/** Who asks, and for whom. */
interface Asking {
  session: Session;
  client: CardinalClient;
  directory: Directory;
}

/** What a list answers each of. */
const elementOf = ({ reply }: HttpOperation): z.ZodType => {
  const { data } = (reply.body as z.ZodObject<{ data: z.ZodType }>).shape;
  return data instanceof z.ZodArray ? (data.element as z.ZodType) : data;
};

const list = (
  { session, directory }: Asking,
  operation: HttpOperation,
  items: AsyncIterable<object> | Iterable<object>,
): Promise<void> => {
  async function* shown() {
    let some: object[] = [];
    for await (const item of items) {
      if (!isForPerson(session)) yield item;
      // Their people are read together.
      else if (some.push(item) === namedAtOnce) {
        yield* await Promise.all(some.map(directory.withNames));
        some = [];
      }
    }
    if (some.length > 0) yield* await Promise.all(some.map(directory.withNames));
  }
  return printList(session, shown(), columnsOf(elementOf(operation)));
};

const page = async (asking: Asking, operation: HttpOperation, { call, limit }: Asked): Promise<void> => {
  const most = limit ?? usualMost;
  let isCut = false;
  // One more than is shown, to know whether there are more.
  async function* bounded() {
    let count = 0;
    for await (const item of itemsOf(asking.client, operation, call, limit ?? most + 1)) {
      count += 1;
      isCut = count > most;
      if (!isCut) yield item;
    }
  }
  await list(asking, operation, bounded());
  if (isCut) console.error(`there are more than these ${most}; --limit N shows as many, --all shows all`);
};

/** Writes the bytes of a file, or their address where a terminal would show them. */
const download = async ({ session }: Asking, { url, body }: Download): Promise<void> => {
  if (session.json() || process.stdout.isTTY) {
    await body.cancel();
    return printOne(session, { url });
  }
  try {
    await pipeline(Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]), process.stdout, { end: false });
  } catch (error) {
    // fetch says what happened in the cause alone.
    if (!(error instanceof TypeError)) throw error;
    const reason = error.cause instanceof Error ? error.cause.message : error.message;
    throw new CliError(`the file was not served whole: ${reason}; run it again`, { cause: error });
  }
};

/** Operations that answer the text of an API key, once. */
const givesKey = new Set([createApiKey.http.id, rotateApiKey.http.id]);

interface Asked {
  call: Call;
  /** Rows of a list at most; undefined: as many as usual. */
  limit: number | undefined;
  /** Whether a PATCH merges with what others changed meanwhile. */
  merge?: boolean | undefined;
}

/** Asks for an operation and prints what it answers, for a person or a program. */
export const answer = async (asking: Asking, operation: HttpOperation, asked: Asked): Promise<void> => {
  const { session, client, directory } = asking;
  if (operation.reply.kind === 'page') return page(asking, operation, asked);
  const { data, isReplay } = await ask(client, operation, asked.call, asked.merge);
  if (isReplay) console.error('done before under this idempotency key: nothing was done anew');
  else if (givesKey.has(operation.id)) console.error('the key is shown this once; nobody keeps it');
  if (operation.reply.kind === 'redirect') return download(asking, data as Download);
  if (Array.isArray(data)) return list(asking, operation, data);
  if (data !== null)
    printOne(session, isForPerson(session) ? await directory.withNames(data as object) : (data as object));
  else if (operation.reply.kind === 'optional') console.error('there is none');
};
