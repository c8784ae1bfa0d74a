import * as contracts from '@cardinal/contracts';
import { notFound, parseIdentifier, requireFound, unavailable } from '@cardinal/contracts';
import { coalesce, failpoint } from '@cardinal/runtime';
import { untilUpToDate } from '@cardinal/service';
import type { ServiceContext } from '../context.ts';
import { lockUnlessClosing } from '../workstreams/archive.ts';
import type { DefaultWorkstreams } from '../workstreams/defaults.ts';
import { toWorkstream, updateWorkstream } from '../workstreams/queries.ts';
import { findCards, findOthers, highestNumber, insertIdentifiers, listOfCard, type NumberKey } from './queries.ts';
import { grantOf, historyOf } from './rules.ts';

const keyOf = ({ workspace_id, prefix, number }: NumberKey) => `${workspace_id}/${prefix}-${number}`;

/** The ledger: every identifier ever issued, and whose it is; and the ranges that more may be issued from. */
export const serveLedger = (context: ServiceContext, idOfDefault: DefaultWorkstreams): void => {
  const { bus, db, logger } = context;

  /**
   * Lets the card service issue more numbers of a workstream. One that is being archived is archived first, so that the
   * answer is its last word; 503 where that cannot be done now.
   */
  bus.serve(contracts.grant, async ({ workspace_id, workstream_id, last_number }) => {
    const key = { workspace_id, workstream_id: workstream_id ?? (await idOfDefault(workspace_id)) };
    const extend = () =>
      db.transaction(async (tx) => {
        const row = requireFound('Workstream', await lockUnlessClosing(tx, context, key));
        const { prefix, granted_through } = row;
        const highest_number = await highestNumber(tx, workspace_id, prefix);
        const granted = grantOf({ workstream: toWorkstream(row), granted_through, highest_number, last_number });
        if (granted.granted_through > granted_through) {
          await updateWorkstream(tx, key, { granted_through: granted.granted_through });
        }
        return granted;
      });
    const granted = await untilUpToDate(extend);
    failpoint('after-grant');
    return granted;
  });

  /** Reads that arrive in one tick share one query; two may be under way, so that none waits for a slow one alone. */
  const lookups = coalesce<NumberKey, string | undefined>({
    name: 'ledger_lookups',
    concurrency: 2,
    run: async (keys) => {
      const found = await db.read((tx) => findCards(tx, keys));
      const cardOf = new Map(found.map((one) => [keyOf(one), one.card_id]));
      return keys.map((key) => cardOf.get(keyOf(key)));
    },
  });

  bus.serve(contracts.recordIdentifiers, async ({ issued }) => {
    await db.statement((tx) => insertIdentifiers(tx, issued));
    // A statement of its own: it sees what the insert waited for.
    const refused = await db.read((tx) => findOthers(tx, issued));
    if (refused.length > 0) {
      logger.error({ refused }, 'identifiers were issued that belong to other cards: was a database restored?');
    }
    return { refused };
  });

  bus.serve(contracts.resolveIdentifier, async ({ workspace_id, identifier }) => {
    const parsed = parseIdentifier(identifier);
    return { card_id: requireFound('Card', parsed && (await lookups.submit({ workspace_id, ...parsed }))) };
  });

  /**
   * A card's identifier history as of the identifier that the card names as current. The caller asked the card service
   * first: an identifier leaves `unrecorded` only when the ledger has it, so in this order none is missed. 404 where the
   * card never had one; 503 where the ledger lacks the current one, as it does after it was restored from a backup and
   * until it is repaired.
   */
  bus.serve(contracts.listIdentifiers, async ({ workspace_id, card_id, current_identifier, unrecorded }) => {
    const issued = await db.read((tx) => listOfCard(tx, workspace_id, card_id, unrecorded));
    if (issued.length === 0) throw notFound('Card');
    const history = historyOf(issued, current_identifier);
    if (!history) throw unavailable(`The ledger does not know ${current_identifier} yet`);
    return history;
  });
};
