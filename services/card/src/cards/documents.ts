import { type Card, Document, documentOf } from '@cardinal/contracts';
import type { Database } from '@cardinal/db';
import { LRUCache } from 'lru-cache';
import { type CardRow, toCard } from './queries.ts';

/** Size of the cache, bytes. */
const maxBytes = 32 * 2 ** 20;
/** Memory that an entry takes beside its document, bytes. */
const overheadBytes = 500;

/**
 * The state that a card's document depends on: the card's id, the `xmin` of its row, and the version of its workstream.
 * The card's version does not suffice, because a rebalancing changes positions but not versions (CONTRACT 3.3).
 */
type CardState = string;
export type StatedCard = CardRow & { row_xmin: string; workstream_version: number };
const stateOf = ({ id, row_xmin, workstream_version }: StatedCard): CardState =>
  `${id} ${row_xmin} ${workstream_version}`;

/** Copies bytes to memory of their own. Small buffers share a pool, and each would keep the whole pool in memory. */
const copyOf = (bytes: Buffer): Buffer => {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
};

/** The cache, for queries that begin now. */
export type CardDocuments = ReturnType<ReturnType<typeof rememberDocuments>>;

/**
 * Creates a cache of cards' documents by state, so that unchanged cards are neither read in full nor serialized again.
 * Every query reads the current state, so no entry is stale. A restored server reuses transaction ids, so entries of
 * one server are never used for another.
 * @returns a function to call at the start of a read; its result gives access to the cache
 */
export const rememberDocuments = (db: Pick<Database<unknown>, 'serverGeneration'>) => {
  const known = new LRUCache<string, Document<Card>>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }) => bytes.length + overheadBytes,
  });
  return () => {
    const generation = db.serverGeneration();
    const isSame = () => db.serverGeneration() === generation;
    const find = (state: CardState) => (isSame() ? known.get(`${generation} ${state}`) : undefined);
    return {
      /** Finds the document of a card by the state read from the database. @returns undefined where it is not cached */
      find,

      /** Returns the document of a row, and caches it. */
      of(row: StatedCard): Document<Card> {
        const state = stateOf(row);
        const found = find(state);
        if (found) return found;
        const document = documentOf(toCard(row));
        if (isSame()) known.set(`${generation} ${state}`, new Document(document.head, copyOf(document.bytes)));
        return document;
      },
    };
  };
};
