import {
  type CardinalError,
  closeRange,
  conflict,
  type archiveWorkstream as contract,
  type EventType,
  openRange,
  type openWorkstream,
  requireFound,
  requireVersion,
  validationError,
  type Workstream,
  workstream,
} from '@cardinal/contracts';
import { answerCommand, appendChange, appendChanges, type Outcome, replayOf, withdrawCommand } from '@cardinal/db';
import { currentContext, failpoint } from '@cardinal/runtime';
import { Outdated, untilUpToDate } from '@cardinal/service';
import type { z } from 'zod';
import type { ServiceContext } from '../context.ts';
import type { Tx, WorkstreamRow } from '../database.ts';
import { highestNumber } from '../ledger/queries.ts';
import { rangeKnown } from '../ledger/rules.ts';
import {
  announce,
  changeTo,
  lockWorkstream,
  stateEvent,
  storeChange,
  toWorkstream,
  updateWorkstream,
  type WorkstreamKey,
} from './queries.ts';

type Request = z.output<typeof contract.request>;

/** The intent, noted before the card service is called: the command, and the number of an opening. */
type Intent = { closing: string } | { opening: string; opens_at: number | null };

/**
 * Archives a workstream in three steps (ARCHITECTURE, "Numbers"): the intent, the end of its range at the card service,
 * the archive with the stored answer. The next request that meets an interrupted archive finishes it: a repetition,
 * another write, a grant, an adoption or the sweeper. After the answer no number is issued, and nothing is adopted.
 * @throws CardinalError `not_found`, `precondition_failed`, `conflict` for the default workstream
 */
export const archive = (context: ServiceContext, request: Request): Promise<Outcome<Workstream>> =>
  end(context, request, (row) => {
    if (row.is_default) throw conflict('The default workstream cannot be archived');
    return row.archived_at ? undefined : { closing: request.command.id };
  });

/**
 * Opens an adopting workstream (CONTRACT 4.8), in the steps of an archive: the intent, the end of the adoption at the
 * card service, which sets the counter too, and the opening with the stored answer.
 * @throws CardinalError `not_found`, `precondition_failed`, `conflict` where it does not adopt, `validation_error`
 * where `next_number` is not behind what was adopted
 */
export const open = (
  context: ServiceContext,
  request: z.output<typeof openWorkstream.request>,
): Promise<Outcome<Workstream>> =>
  end(context, request, (row) => {
    if (row.archived_at) throw conflict('The workstream is archived');
    if (!row.adopting) throw conflict('The workstream does not adopt');
    return { opening: request.command.id, opens_at: request.body.next_number ?? null };
  });

/** @param intentOf returns the intent; undefined where the workstream is in the desired state */
const end = (
  context: ServiceContext,
  request: Request,
  intentOf: (row: WorkstreamRow) => Intent | undefined,
): Promise<Outcome<Workstream>> => {
  let begun = false;
  const begin = async (tx: Tx): Promise<Outcome<Workstream> | undefined> => {
    const now = context.now();
    const row = requireFound('Workstream', await lockUnlessEnding(tx, context, request));
    const replay = await replayOf<Workstream>(tx, request, now);
    if (replay) return replay;
    requireVersion(row, request.if_match);
    const intent = intentOf(row);
    if (!intent) return answerCommand(tx, request, toWorkstream(row), now);
    const asker = { ending_by: request.user_id, ending_request_id: currentContext()?.requestId ?? null };
    await updateWorkstream(tx, request, { ...intent, ...asker });
    return undefined;
  };
  return untilUpToDate(async () => {
    const found = await context.db.transaction(begin);
    // The process that finished it stored the answer, but jsonb does not keep the order of members.
    if (found) return begun ? { resource: workstream.parse(found.resource), replayed: false } : found;
    begun = true;
    const refusal = await finishEnding(context, request, (intent) => failpoint(`after-${intent}-intent`));
    if (refusal) throw refusal;
    throw new Outdated();
  });
};

/** Whether a workstream is being archived or opened. */
export const isEnding = ({ closing, opening }: Pick<WorkstreamRow, 'closing' | 'opening'>): boolean =>
  closing !== null || opening !== null;

/** Locks a workstream (`lockWorkstream`). Finishes a pending archive or opening first, and then retries the write. */
export const lockUnlessEnding = async (tx: Tx, context: ServiceContext, key: WorkstreamKey) => {
  const locked = await lockWorkstream(tx, key);
  if (locked && isEnding(locked)) throw new Outdated(() => finishEnding(context, key));
  return locked;
};

/**
 * Finishes an archive or opening that has begun; without one it does nothing.
 * @returns why an opening was refused, which ends it
 * @throws CardinalError `unavailable` where the card service does not answer
 */
export const finishEnding = async (
  context: ServiceContext,
  key: WorkstreamKey,
  met: (intent: 'archive' | 'opening') => void = () => {},
): Promise<CardinalError | undefined> => {
  const begun = await context.db.transaction((tx) => lockWorkstream(tx, key));
  if (!begun || !isEnding(begun)) return undefined;
  met(begun.closing ? 'archive' : 'opening');
  if (!begun.closing) return finishOpening(context, key, begun);
  await finishArchive(context, key, begun);
  return undefined;
};

const finishArchive = async (context: ServiceContext, key: WorkstreamKey, begun: WorkstreamRow): Promise<void> => {
  const { db, bus, lineage, now } = context;
  const { workspace_id } = key;
  const { epoch } = await lineage.refresh();
  await bus.call(closeRange, { workspace_id, workstream: toWorkstream(begun), epoch });
  failpoint('after-close');
  const moment = now();
  const archived = await db.transaction(async (tx) => {
    const row = await lockWorkstream(tx, key);
    if (!row?.closing) return undefined;
    const changed = await storeChange(tx, row, { archived_at: moment, closing: null }, moment);
    await answerCommand(tx, { workspace_id, command: { id: row.closing } }, changed, moment);
    await noteEnding(tx, row, 'workstream.archived', changed);
    failpoint('before-archive-commit');
    return changed;
  });
  failpoint('after-archive-commit');
  if (archived) await announce(context, workspace_id, archived);
};

const finishOpening = async (
  context: ServiceContext,
  key: WorkstreamKey,
  begun: WorkstreamRow,
): Promise<CardinalError | undefined> => {
  const { db, bus, lineage, marks, now } = context;
  const { workspace_id } = key;
  const { opening, opens_at: next_number } = begun;
  const { epoch } = await lineage.refresh();
  // What was adopted in earlier epochs may be lost, so numbers begin above their mark.
  marks.forget(begun);
  const mark = await marks.of(begun);
  const known = rangeKnown({ ...begun, granted_through: begun.adopted_through }, mark);
  const epoch_base = epoch > known.epoch ? known.granted_through : known.epoch_base;
  const above = Math.max(epoch_base, await db.read((tx) => highestNumber(tx, workspace_id, begun.prefix)));
  const ending = { workspace_id, workstream: toWorkstream(begun), epoch, above, next_number };
  const { opened, last_number } = await bus.call(openRange, ending);
  failpoint('after-open-range');
  // `next_number` may be far above what was adopted: the register stores it before the row does.
  if (opened) await marks.agree({ ...begun, adopted_through: last_number, epoch, epoch_base });
  const moment = now();
  const changed = await db.transaction(async (tx) => {
    const row = await lockWorkstream(tx, key);
    if (!row?.opening || row.opening !== opening) return undefined;
    const command = { id: row.opening };
    const over = { opening: null, opens_at: null };
    if (!opened) {
      await updateWorkstream(tx, key, over);
      await withdrawCommand(tx, { workspace_id, command });
      return undefined;
    }
    const open = await storeChange(tx, row, { adopting: false }, moment);
    const granted_through = Math.max(row.granted_through, last_number);
    // For ever, even where nothing was adopted and nothing is granted yet.
    const range = { granted_through, granted_at: moment, adopted_through: last_number, epoch, epoch_base };
    await updateWorkstream(tx, key, { ...over, ...range });
    await answerCommand(tx, { workspace_id, command }, open, moment);
    await noteEnding(tx, row, 'workstream.opened', open);
    failpoint('before-opening-commit');
    return open;
  });
  failpoint('after-opening-commit');
  if (changed) await announce(context, workspace_id, changed);
  if (opened) return undefined;
  const path = ['next_number'];
  return validationError([{ path, message: `next_number must be at least ${last_number + 1}` }]);
};

/**
 * Appends the event of an ending. Clients get none where a release before 1.1.0 began it, which did not note its user.
 */
const noteEnding = (tx: Tx, row: WorkstreamRow, type: EventType, data: Workstream): Promise<void> => {
  const { workspace_id, ending_by: user_id, ending_request_id: requestId } = row;
  if (!user_id) return appendChanges(tx, workspace_id, [], [stateEvent(workspace_id, data)]);
  const details = changeTo(type, { workspace_id, user_id }, data, toWorkstream(row));
  return appendChange(tx, workspace_id, { ...details, requestId });
};

const endingsAtOnce = 100;

/** Finishes interrupted archives and openings that no request would finish. */
export const finishEndings = async (context: ServiceContext): Promise<void> => {
  const begun = await context.db.read((tx) =>
    tx
      .selectFrom('workstreams')
      .select(['workspace_id', 'id as workstream_id'])
      .where((row) => row.or([row('closing', 'is not', null), row('opening', 'is not', null)]))
      .limit(endingsAtOnce)
      .execute(),
  );
  const ends = await Promise.allSettled(begun.map((one) => finishEnding(context, one)));
  const failed = ends.filter((end) => end.status === 'rejected');
  if (failed.length === 0) return;
  context.logger.warn({ count: failed.length, err: failed[0]?.reason }, 'archives or openings not finished');
};
