import { type Card, Document, documentOf } from '@cardinal/contracts';
import type { Database } from '@cardinal/db';
import { LRUCache } from 'lru-cache';
import { type CardRow, toCard } from './queries.ts';

/** Bytes of documents that a process remembers, with what it takes to remember one. */
const remembered = 32 * 2 ** 20;
const overhead = 500;

/**
 * Everything that a card's document follows from, as Postgres tells it: the card, which write of its row, and the version
 * of its workstream. Not the card's version: a rebalancing leaves that as it is.
 */
type CardState = string;
export type StatedCard = CardRow & { row_xmin: string; workstream_version: number };
const stateOf = ({ id, row_xmin, workstream_version }: StatedCard): CardState =>
  `${id} ${row_xmin} ${workstream_version}`;

/** A copy in memory of its own: small buffers share theirs with others, which would stay as long as any of them. */
const apart = (bytes: Buffer): Buffer => {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
};

/** The documents of cards as one query or several that began now may use them. */
export type CardDocuments = ReturnType<ReturnType<typeof rememberDocuments>>;

/**
 * Remembers documents of cards by the state that they show, so that cards which did not change are neither read whole nor
 * written again. Nothing here can be out of date, for the state is asked of the database each time; but a server that was
 * restored from a backup counts its writes anew, so that of another server's states none is known.
 */
export const rememberDocuments = (db: Pick<Database<unknown>, 'serverGeneration'>) => {
  const known = new LRUCache<string, Document<Card>>({
    maxSize: remembered,
    sizeCalculation: ({ bytes }) => bytes.length + overhead,
  });
  return () => {
    const generation = db.serverGeneration();
    const isSame = () => db.serverGeneration() === generation;
    const find = (state: CardState) => (isSame() ? known.get(`${generation} ${state}`) : undefined);
    return {
      /** The document of a card in a state that such a query told; undefined where it is not remembered. */
      find,

      /** That of a row of such a query, which is remembered from now on. */
      of(row: StatedCard): Document<Card> {
        const state = stateOf(row);
        const found = find(state);
        if (found) return found;
        const document = documentOf(toCard(row));
        if (isSame()) known.set(`${generation} ${state}`, new Document(document.head, apart(document.bytes)));
        return document;
      },
    };
  };
};
