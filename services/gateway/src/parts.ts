import { type BulkItem, type Document, validationError } from '@cardinal/contracts';
import type { FastifyRequest } from 'fastify';
import type { CardNames } from './card-names.ts';

/** A request that names many cards in its body. */
interface OfCards {
  cards: { card: string }[];
}

/** The results for all cards of a request. */
interface Whole {
  /** The items of all parts, each a JSON array. */
  parts: Buffer[];
  /** Whether all of it is a replay. */
  replayed: boolean;
}

/**
 * Asks an owner about the cards that a body names, in several requests where an answer would not fit into a message of the bus.
 * Owner and fingerprint get the ids of the cards; the items of the answer have the client's names.
 * @param ask sends a body to the owner, under the command of the request
 * @throws CardinalError `validation_error` where two names are of one card
 */
export const askInParts = async (
  request: FastifyRequest,
  names: CardNames,
  ask: (body: OfCards) => Promise<Document>,
): Promise<Whole> => {
  const body = request.body as OfCards;
  // The client's spelling: parsing has made the names canonical.
  const spelled = (request.sentBody as OfCards).cards.map(({ card }) => card);
  const ids = await names.idsOf(
    request.principal,
    body.cards.map(({ card }) => card),
  );
  const twice = ids.findIndex((id, at) => ids.indexOf(id) < at);
  if (twice !== -1) throw validationError([{ path: ['cards', twice, 'card'], message: 'must be named once' }]);
  const cards = body.cards.map((one, at) => ({ ...one, card: ids[at] ?? '' }));
  request.sentBody = { ...(request.sentBody as object), cards };
  const whole: Whole = { parts: [], replayed: true };
  for (let from = 0; from < cards.length; ) {
    const { head, bytes } = await ask({ ...body, cards: cards.slice(from) });
    const isNamed = spelled.slice(from).some((name, at) => name !== ids[from + at]);
    whole.parts.push(isNamed ? asNamed(bytes, spelled.slice(from)) : bytes);
    whole.replayed &&= head.replayed === true;
    from = head.next_cursor ? from + Number(head.next_cursor) : cards.length;
  }
  return whole;
};

const asNamed = (bytes: Buffer, names: readonly string[]): Buffer => {
  const items = JSON.parse(bytes.toString()) as BulkItem[];
  return Buffer.from(JSON.stringify(items.map((item, at) => ({ ...item, card: names[at] ?? item.card }))));
};

const comma = Buffer.from(',');

/** `{"data": […]}` with the items of all parts. */
export const dataOfParts = (parts: readonly Buffer[]): Buffer => {
  const items = parts.flatMap((part, at) => [...(at > 0 ? [comma] : []), part.subarray(1, -1)]);
  return Buffer.concat([Buffer.from('{"data":['), ...items, Buffer.from(']}')]);
};
