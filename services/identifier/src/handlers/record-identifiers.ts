import type { recordIdentifiers as contract } from '@cardinal/contracts';
import { findOthers, insertIdentifiers } from '../ledger/ledger.ts';
import type { Handler, Parts } from '../parts.ts';

/** Writes issued identifiers into the ledger, each once however often it comes. */
export const recordIdentifiersHandler =
  ({ db, logger }: Pick<Parts, 'db' | 'logger'>): Handler<typeof contract> =>
  async ({ issued }) => {
    await db.statement((tx) => insertIdentifiers(tx, issued));
    // A statement of its own: it sees what the insert waited for.
    const refused = await db.read((tx) => findOthers(tx, issued));
    if (refused.length > 0) {
      logger.error({ refused }, 'identifiers were issued that belong to other cards: was a database restored?');
    }
    return { refused };
  };
