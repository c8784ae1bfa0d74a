import { type Card, Document, documentOf } from '@cardinal/contracts';
import type { Database } from '@cardinal/db';
import { LRUCache } from 'lru-cache';
import { type CardRow, toCard } from './queries.ts';

/** Bytes of documents that a process remembers, with what it takes to remember one. */
const remembered = 32 * 2 ** 20;
const overhead = 500;

/**
 * Everything that a card's document depends on, as read from Postgres: the card, which write of its row, and the
 * version of its workstream. The card's version is not enough: rebalancing changes a position but not the version.
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
 * Caches the documents of cards by the state that they show, so that unchanged cards are neither read in full nor
 * serialized again. An entry cannot be stale, because every query reads the current state; but a server that was
 * restored from a backup counts its writes from an earlier point, so entries of another server are never used.
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
      /** The document of a card in a state read from the database; undefined where it is not cached. */
      find,

      /** The document of a row of such a query, which is cached from now on. */
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
