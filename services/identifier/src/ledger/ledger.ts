import * as contracts from '@cardinal/contracts';
import { notFound, parseIdentifier, requireFound, unavailable } from '@cardinal/contracts';
import { coalesce, failpoint, inBackground } from '@cardinal/runtime';
import { Outdated, untilUpToDate } from '@cardinal/service';
import type { ServiceContext } from '../context.ts';
import { workstreams } from '../database.ts';
import { lockUnlessClosing } from '../workstreams/archive.ts';
import type { DefaultWorkstreams } from '../workstreams/defaults.ts';
import { toWorkstream, updateWorkstream } from '../workstreams/queries.ts';
import { findCards, findOthers, highestNumber, insertIdentifiers, listOfCard, type NumberKey } from './queries.ts';
import { grantOf, historyOf, type Range, rangeKnown } from './rules.ts';

const keyOf = ({ workspace_id, prefix, number }: NumberKey) => `${workspace_id}/${prefix}-${number}`;

/** What a grant says of a range. */
const rangeIn = ({ granted_through, epoch, epoch_base }: Range) => ({ granted_through, epoch, epoch_base });

/** The ledger: every identifier ever issued, and whose it is; and the ranges that more may be issued from. */
export const serveLedger = (context: ServiceContext, idOfDefault: DefaultWorkstreams): void => {
  const { bus, db, lineage, logger, marks, now } = context;

  /**
   * Lets the card service issue more numbers of a workstream. The register's mark is raised first, then the range, then it
   * is answered; so whatever falls back, nothing is granted twice. A workstream that is being archived is archived first, so
   * that the answer is its last word; 503 where that cannot be done now.
   */
  bus.serve(contracts.grant, async ({ workspace_id, workstream_id, last_number, epoch }) => {
    const key = { workspace_id, workstream_id: workstream_id ?? (await idOfDefault(workspace_id)) };
    const extend = async () => {
      const found = await db.read((tx) => workstreams.find(tx, workspace_id, key.workstream_id));
      const seen = requireFound('Workstream', found);
      const mark = await marks.of(seen);
      const known = rangeKnown(seen, mark);
      const range = grantOf(known, { last_number, epoch, now: now() });
      const isRaised = range && (mark.isMissing || range.epoch > mark.epoch || range.granted_through > mark.through);
      if (isRaised && !seen.archived_at && !(await marks.raise(seen, mark, range))) throw new Outdated();
      return db.transaction(async (tx) => {
        const row = requireFound('Workstream', await lockUnlessClosing(tx, context, key));
        const highest_number = await highestNumber(tx, workspace_id, row.prefix);
        const answer = { workstream: toWorkstream(row), granted_before: known.granted_through, highest_number };
        if (row.archived_at) return { ...answer, ...rangeIn(known), epoch };
        if (!range) return { ...answer, ...rangeIn(known) };
        // A later epoch began meanwhile.
        if (row.epoch > range.epoch) throw new Outdated(async () => marks.forget(row));
        // Others were granted meanwhile; their marks cover it.
        const granted = { ...range, granted_through: Math.max(range.granted_through, row.granted_through) };
        await updateWorkstream(tx, key, granted);
        return { ...answer, ...rangeIn(granted) };
      });
    };
    // After a fall the marks go into the database at once, not with the next tick.
    if (!lineage.current()) inBackground(lineage.met).catch((error) => logger.debug({ err: error }, 'not met yet'));
    const granted = await untilUpToDate(extend);
    lineage.noteWrite();
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
    lineage.noteWrite();
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
