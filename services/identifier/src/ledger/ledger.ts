import * as contracts from '@cardinal/contracts';
import { conflict, requireFound } from '@cardinal/contracts';
import { failpoint } from '@cardinal/runtime';
import { Outdated, untilUpToDate } from '@cardinal/service';
import type { ServiceContext } from '../context.ts';
import { workstreams } from '../database.ts';
import type { DefaultWorkstreams } from '../workstreams/defaults.ts';
import { finishEnding, isEnding, lockUnlessEnding } from '../workstreams/endings.ts';
import { toWorkstream } from '../workstreams/queries.ts';
import { extendRange, findOthers, highestNumber, insertIdentifiers, noteFirstAsked } from './queries.ts';
import { grantOf, type Range, rangeKnown, wasOpened } from './rules.ts';

/** Makes the fields of a grant from a range. */
const rangeIn = ({ granted_through, epoch, epoch_base }: Range) => ({ granted_through, epoch, epoch_base });

/**
 * Serves grants and the recording of issued identifiers (ARCHITECTURE, "Numbers").
 * @param idOfDefault finds the default workstream
 */
export const serveLedger = (context: ServiceContext, idOfDefault: DefaultWorkstreams): void => {
  const { bus, db, lineage, logger, marks, now } = context;

  /**
   * Grants numbers of a workstream to the card service. It raises the register's mark, then extends the range, then
   * answers: so no number is granted twice, even after a rollback of the database. Where the workstream is being
   * archived or opened, that is finished first, so that the answer is final; 503 where that is impossible now. A
   * workstream that adopts is a 409, unless the register's mark shows that it was opened, and a rollback of the
   * database lost the opening.
   */
  bus.serve(contracts.grant, async ({ workspace_id, workstream_id, user_id, last_number, epoch }) => {
    const key = { workspace_id, workstream_id: workstream_id ?? (await idOfDefault(workspace_id, user_id)) };
    const extend = async () => {
      // The database's bounds replace a missing mark only where the lineage shows no rollback of the database.
      const met = await lineage.met();
      const found = await db.read((tx) => workstreams.find(tx, workspace_id, key.workstream_id));
      const seen = requireFound('Workstream', found);
      if (isEnding(seen)) throw new Outdated(() => finishEnding(context, key));
      if (seen.adopting && !seen.archived_at) {
        marks.forget(seen);
        if (!wasOpened(await marks.of(seen))) {
          throw conflict('The workstream adopts cards, and issues no number until it is opened');
        }
        throw new Outdated(() => marks.agree(seen));
      }
      // This precedes the write to the register: from here on, the default workstream cannot begin to adopt.
      if (seen.is_default && seen.granted_at === null) {
        throw new Outdated(() => db.statement((tx) => noteFirstAsked(tx, seen, now())));
      }
      const mark = await marks.of(seen);
      const known = rangeKnown(seen, mark);
      // A caller in an earlier epoch gets no range: it has to meet its database again.
      const range = epoch < met.epoch ? undefined : grantOf(known, { last_number, epoch, now: now() });
      // A mark that still adopts is written even where it covers the grant: from the first grant on, nothing is
      // adopted.
      const isBehind = mark.isMissing || mark.adopting;
      const isRaised = range && (isBehind || range.epoch > mark.epoch || range.granted_through > mark.through);
      // The rows above are void where the database was replaced since they were read.
      if (isRaised && lineage.current()?.generation !== met.generation) throw new Outdated();
      if (isRaised && !seen.archived_at && !(await marks.raise(seen, mark, range))) throw new Outdated();
      const granted_before = known.granted_through;
      const extended = range && (await db.statement((tx) => extendRange(tx, key, range)));
      if (extended) {
        const { highest_number, ...row } = extended;
        return { workstream: toWorkstream(row), granted_before, highest_number, ...rangeIn(row) };
      }
      return db.transaction(async (tx) => {
        const row = requireFound('Workstream', await lockUnlessEnding(tx, context, key));
        // Since the row was read, the workstream was archived, or a later epoch began.
        if (range && !row.archived_at) throw new Outdated(async () => marks.forget(row));
        const highest_number = await highestNumber(tx, workspace_id, row.prefix);
        const answer = { workstream: toWorkstream(row), granted_before, highest_number, ...rangeIn(known) };
        return { ...answer, epoch: row.archived_at ? epoch : Math.max(known.epoch, met.epoch) };
      });
    };
    const granted = await untilUpToDate(extend);
    lineage.noteWrite();
    failpoint('after-grant');
    return granted;
  });

  bus.serve(contracts.recordIdentifiers, async ({ issued }) => {
    await db.statement((tx) => insertIdentifiers(tx, issued));
    lineage.noteWrite();
    // A second statement: it reads the rows of other transactions for which the insert waited.
    const refused = await db.read((tx) => findOthers(tx, issued));
    if (refused.length > 0) {
      logger.error(
        { refused },
        'issued identifiers belong to other cards in the ledger: a database was probably rolled back, run the doctor',
      );
    }
    return { refused };
  });
};
