import {
  closeRange,
  conflict,
  type archiveWorkstream as contract,
  requireFound,
  requireVersion,
  type Workstream,
  workstream,
} from '@cardinal/contracts';
import { answerCommand, type Outcome, replayOf } from '@cardinal/db';
import { failpoint } from '@cardinal/runtime';
import { Outdated, untilUpToDate } from '@cardinal/service';
import type { z } from 'zod';
import type { ServiceContext } from '../context.ts';
import type { Tx } from '../database.ts';
import {
  announce,
  lockWorkstream,
  storeChange,
  toWorkstream,
  updateWorkstream,
  type WorkstreamKey,
} from './queries.ts';

type Request = z.output<typeof contract.request>;

/**
 * Archives a workstream in three steps (architecture, "One transaction", 4): the intent, the end of its range at the
 * card service, the archive with the stored answer. An interrupted archive is finished by the next one to meet it: the
 * repeated request, another writer, a grant or the sweeper. No number is issued after the answer.
 * @throws CardinalError `not_found`, `precondition_failed`, `conflict` for the default workstream
 */
export const archive = async (context: ServiceContext, request: Request): Promise<Outcome<Workstream>> => {
  const look = () => untilUpToDate(() => context.db.transaction((tx) => begin(tx, context, request)));
  const found = await look();
  if (found) return found;
  failpoint('after-archive-intent');
  await finishArchive(context, request);
  // The one who finished it stored the answer, but jsonb does not keep the order of its members.
  const stored = await look();
  return { resource: workstream.parse(stored?.resource), replayed: false };
};

/** The answer where there is one; undefined where the archive has just begun. */
const begin = async (tx: Tx, context: ServiceContext, request: Request): Promise<Outcome<Workstream> | undefined> => {
  const now = context.now();
  const row = requireFound('Workstream', await lockUnlessClosing(tx, context, request));
  const replay = await replayOf<Workstream>(tx, request, now);
  if (replay) return replay;
  requireVersion(row, request.if_match);
  if (row.is_default) throw conflict('The default workstream cannot be archived');
  if (row.archived_at) return answerCommand(tx, request, toWorkstream(row), now);
  await updateWorkstream(tx, request, { closing: request.command.id });
  return undefined;
};

/** Locks a workstream (`lockWorkstream`). One that is being archived is archived first; then its write is retried. */
export const lockUnlessClosing = async (tx: Tx, context: ServiceContext, key: WorkstreamKey) => {
  const locked = await lockWorkstream(tx, key);
  if (locked?.closing) throw new Outdated(() => finishArchive(context, key));
  return locked;
};

/**
 * Brings an archive that has begun to its end; nothing happens where none has.
 * @throws CardinalError `unavailable` where the card service cannot be asked now
 */
const finishArchive = async (context: ServiceContext, key: WorkstreamKey): Promise<void> => {
  const { db, bus, lineage, now } = context;
  const { workspace_id } = key;
  const begun = await db.transaction((tx) => lockWorkstream(tx, key));
  if (!begun?.closing) return;
  const { epoch } = await lineage.refresh();
  await bus.call(closeRange, { workspace_id, workstream: toWorkstream(begun), epoch });
  failpoint('after-close');
  const moment = now();
  const archived = await db.transaction(async (tx) => {
    const row = await lockWorkstream(tx, key);
    if (!row?.closing) return undefined;
    const changed = await storeChange(tx, row, { archived_at: moment, closing: null }, moment);
    await answerCommand(tx, { workspace_id, command: { id: row.closing } }, changed, moment);
    failpoint('before-archive-commit');
    return changed;
  });
  failpoint('after-archive-commit');
  if (archived) await announce(context, workspace_id, archived);
};

const archivesAtOnce = 100;

/** Finishes interrupted archives that no request would otherwise finish. */
export const finishArchives = async (context: ServiceContext): Promise<void> => {
  const begun = await context.db.read((tx) =>
    tx
      .selectFrom('workstreams')
      .select(['workspace_id', 'id as workstream_id'])
      .where('closing', 'is not', null)
      .limit(archivesAtOnce)
      .execute(),
  );
  const ends = await Promise.allSettled(begun.map((one) => finishArchive(context, one)));
  const failed = ends.filter((end) => end.status === 'rejected');
  if (failed.length === 0) return;
  context.logger.warn({ count: failed.length, err: failed[0]?.reason }, 'archives not finished');
};
