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

/** What a grant says of a range. */
const rangeIn = ({ granted_through, epoch, epoch_base }: Range) => ({ granted_through, epoch, epoch_base });

/** The ledger: every identifier ever issued, and whose it is; and the ranges that more may be issued from. */
export const serveLedger = (context: ServiceContext, idOfDefault: DefaultWorkstreams): void => {
  const { bus, db, lineage, logger, marks, now } = context;

  /**
   * Lets the card service issue more numbers of a workstream. The register's mark is raised first, then the range, then
   * it is answered; so nothing is granted twice, even after the database falls back. A workstream that is being
   * archived or opened is so first, so that the answer is final; 503 where that is impossible now. One that adopts is
   * refused, unless the register knows that it was opened and the database fell back to before that.
   */
  bus.serve(contracts.grant, async ({ workspace_id, workstream_id, user_id, last_number, epoch }) => {
    const key = { workspace_id, workstream_id: workstream_id ?? (await idOfDefault(workspace_id, user_id)) };
    const extend = async () => {
      // A mark that the register lacks is the database's only where that is known not to have fallen back.
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
      // Before the register: from here on the default workstream cannot begin to adopt.
      if (seen.is_default && seen.granted_at === null) {
        throw new Outdated(() => db.statement((tx) => noteFirstAsked(tx, seen, now())));
      }
      const mark = await marks.of(seen);
      const known = rangeKnown(seen, mark);
      // One who met its database in an earlier epoch is to meet it again, whatever the range says.
      const range = epoch < met.epoch ? undefined : grantOf(known, { last_number, epoch, now: now() });
      // Where an adoption left room, too: from the first grant on nothing more is adopted.
      const isBehind = mark.isMissing || mark.adopting;
      const isRaised = range && (isBehind || range.epoch > mark.epoch || range.granted_through > mark.through);
      // What was seen of a database that is another one by now says nothing.
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
        // It was archived, or a later epoch began, since it was read.
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
    // A statement of its own: it sees what the insert waited for.
    const refused = await db.read((tx) => findOthers(tx, issued));
    if (refused.length > 0) {
      logger.error({ refused }, 'identifiers were issued that belong to other cards: was a database restored?');
    }
    return { refused };
  });
};
