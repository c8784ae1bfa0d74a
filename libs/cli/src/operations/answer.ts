import type { HttpOperation } from '@cardinal/contracts';
import type { Api, Call } from '@cardinal/mcp/calls';
import { z } from 'zod';
import { printList, printOne } from '../print.ts';
import type { Session } from '../session.ts';
import { columnsOf } from '../tables.ts';
import { ask, itemsOf } from './ask.ts';

/** Rows of a list where nobody says how many. */
export const usualMost = 1_000;

/** What an operation answers one of, or a list of; undefined for nothing. */
const dataOf = ({ reply }: HttpOperation): z.ZodType | undefined =>
  reply.body instanceof z.ZodObject ? (reply.body.shape.data as z.ZodType) : undefined;

const list = async (session: Session, operation: HttpOperation, items: AsyncIterable<object> | Iterable<object>) => {
  const data = dataOf(operation);
  const shown = columnsOf((data instanceof z.ZodArray ? data.element : data) as z.ZodType);
  await printList(session, items, shown);
};

const page = async (
  session: Session,
  api: Api,
  operation: HttpOperation,
  { call, most, isBounded }: { call: Call; most: number; isBounded: boolean },
) => {
  let isCut = false;
  // One more than is shown tells whether there are more.
  async function* bounded() {
    let count = 0;
    for await (const item of itemsOf(api, operation, call, isBounded ? most : most + 1)) {
      count += 1;
      isCut = count > most;
      if (!isCut) yield item;
    }
  }
  await list(session, operation, bounded());
  if (isCut) console.error(`there are more than these ${most}; --limit N shows as many, --all shows all`);
};

/** Asks for an operation and prints what it answers, for a person or a program. */
export const answer = async (
  session: Session,
  api: Api,
  operation: HttpOperation,
  { call, limit }: { call: Call; limit: number | undefined },
): Promise<void> => {
  if (operation.reply.kind === 'page') {
    const isBounded = limit !== undefined;
    return page(session, api, operation, { call, most: limit ?? usualMost, isBounded });
  }
  const { data, isReplay } = await ask(api, operation, call);
  if (isReplay) console.error('done before under this idempotency key: nothing was done anew');
  if (Array.isArray(data)) return list(session, operation, data);
  if (data !== null) return printOne(session, data as object);
  if (operation.reply.kind === 'optional') console.error('there is none');
};
