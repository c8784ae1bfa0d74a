import * as contracts from '@cardinal/contracts';
import { conflict, formatIdentifier, parseIdentifier, requireFound } from '@cardinal/contracts';
import { Outdated, untilUpToDate } from '@cardinal/service';
import type { ServiceContext } from '../context.ts';
import { type Reader, type WorkstreamRow, workstreams } from '../database.ts';
import { raiseRange } from '../ledger/marks.ts';
import { findCards } from '../ledger/queries.ts';
import { wasOpened } from '../ledger/rules.ts';
import { finishEnding, isEnding } from './endings.ts';
import { toWorkstream } from './queries.ts';

/**
 * The identifier service's part of an adoption (CONTRACT 4.8): permission, the ledger, and the marks. The card service
 * ensures, under the lock of its own row, that nothing is adopted after an opening or archive.
 */
export const serveAdoptions = (context: ServiceContext): void => {
  const { bus, db, lineage, marks } = context;

  /**
   * Raises a workstream's mark to a number that is about to be adopted, in the register first.
   * @returns the epoch in which it may be adopted; undefined where it may not: numbers were issued, which a database
   * forgot
   */
  const raise = async (row: WorkstreamRow, highest: number, epoch: number): Promise<number | undefined> => {
    const mark = await marks.of(row);
    if (wasOpened(mark)) return undefined;
    if (mark.epoch > epoch) return mark.epoch;
    const isMarked = !mark.isMissing && mark.epoch === epoch && mark.through >= highest;
    if (isMarked && row.epoch === epoch && row.adopted_through >= highest) return epoch;
    const epoch_base = epoch > mark.epoch ? mark.through : mark.epoch_base;
    const through = Math.max(mark.through, highest);
    const raised = isMarked || (await marks.raise(row, mark, { granted_through: through, epoch, epoch_base }));
    if (!raised) throw new Outdated();
    await db.statement((tx) => raiseRange(tx, row, { through, epoch, epoch_base, adopting: true }));
    lineage.noteWrite();
    return epoch;
  };

  bus.serve(contracts.prepareAdoption, (request) =>
    untilUpToDate(async () => {
      const { workspace_id, workstream_id, epoch } = request;
      await lineage.met();
      const former = request.former.flatMap((identifier) => parseIdentifier(identifier) ?? []);
      const prefixes = [...new Set(former.map(({ prefix }) => prefix))];
      const found = await db.read((tx) => findWorkstreams(tx, workspace_id, workstream_id, prefixes));
      const own = requireFound(
        'Workstream',
        found.find(({ id }) => id === workstream_id),
      );
      const ending = found.find(isEnding);
      if (ending) throw new Outdated(() => finishEnding(context, { workspace_id, workstream_id: ending.id }));
      const asked = [...request.numbers.map((number) => ({ prefix: own.prefix, number })), ...former];
      const adopting: WorkstreamRow[] = [];
      for (const row of [own, ...found.filter((one) => one !== own)]) {
        if (!row.adopting || row.archived_at) continue;
        const highest = Math.max(0, ...asked.filter(({ prefix }) => prefix === row.prefix).map(({ number }) => number));
        const reached = await raise(row, highest, epoch);
        if (reached !== undefined && reached !== epoch) return { epoch: reached, workstreams: [], recorded: [] };
        if (reached !== undefined) adopting.push(row);
      }
      if (!adopting.includes(own)) throw conflict('The workstream does not adopt');
      const known = new Set(adopting.map(({ prefix }) => prefix));
      const keys = asked.filter(({ prefix }) => known.has(prefix)).map((one) => ({ workspace_id, ...one }));
      const recorded = await db.read((tx) => findCards(tx, keys));
      return {
        epoch,
        workstreams: adopting.map(toWorkstream),
        recorded: recorded.map(({ prefix, number, card_id }) => ({
          identifier: formatIdentifier(prefix, number),
          card_id,
        })),
      };
    }),
  );
};

/** Reads a workstream, and those with the given prefixes. */
const findWorkstreams = (tx: Reader, workspaceId: string, id: string, prefixes: readonly string[]) =>
  workstreams
    .in(tx, workspaceId)
    .where((row) => row.or([row('id', '=', id), ...(prefixes.length > 0 ? [row('prefix', 'in', prefixes)] : [])]))
    .execute();
