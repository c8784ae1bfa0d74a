import * as contracts from '@cardinal/contracts';
import { type Caller, type InternalEventOf, linkedFileChanged, notFound, requireFound } from '@cardinal/contracts';
import { appendChanges, newInternalEvent } from '@cardinal/db';
import type { CardSummary } from '@cardinal/service';
import { type Selectable, sql } from 'kysely';
import { MAX, NIL } from 'uuid';
import type { Reader, ServiceContext, StoredFile, Tables, Tx } from '../context.ts';
import { requireClean, requireFile, requireWritable } from '../files/access.ts';
import { changeOnCard, type Showing } from '../files/changes.ts';
import { findShown, lockFile, toFile } from '../files/queries.ts';
import { lockUndeleted } from '../tombstones/tombstones.ts';

export type LinkEvent = InternalEventOf<typeof linkedFileChanged>;

/** Serves the one file that a subtask links to. */
export const serveLinkedFiles = (context: ServiceContext): void => {
  const { bus, db, feed, visibility, now } = context;

  /** Reads the card of the subtask. Refuses where the caller does not see it. */
  const requireCardOf = async (request: Caller & { subtask_id: string }): Promise<CardSummary> => {
    const { workspace_id, user_id, subtask_id } = request;
    const { card_id } = await bus.call(contracts.findSubtask, { workspace_id, user_id, subtask_id });
    return requireFound('Subtask', (await visibility.cards(request, [card_id])).get(card_id));
  };

  /** The last step of a write. */
  const note = (
    tx: Tx,
    request: Caller & { subtask_id: string },
    moment: Date,
    on: Showing,
    events: readonly LinkEvent[],
  ) => {
    const type = on.data ? 'linked_file.set' : 'linked_file.cleared';
    const subject = { type: 'linked_file', id: request.subtask_id };
    return appendChanges(tx, request.workspace_id, [changeOnCard(type, request, moment, { ...on, subject })], events);
  };

  bus.serve(contracts.putLinkedFile, async (request) => {
    const { workspace_id, subtask_id, file_id } = request;
    const card = await requireCardOf(request);
    await requireFile(context, request, file_id);
    requireWritable(card);
    const card_id = card.id;
    const { file, events, change } = await db.transaction(async (tx) => {
      if (!(await lockUndeleted(tx, workspace_id, card_id, subtask_id))) throw notFound('Subtask');
      const file = requireFound('File', await lockFile(tx, workspace_id, file_id));
      requireClean(file);
      const former = await findShown(tx, 'linked_files', { workspace_id, subtask_id });
      const change = await setLink(tx, workspace_id, subtask_id, card_id, file_id);
      const moment = now();
      const events = await eventsOf(tx, request, change, moment, file);
      if (change) await note(tx, request, moment, { card, file, former, data: toFile(file) }, events);
      return { file, events, change };
    });
    if (change) feed.nudge(workspace_id);
    await handOver(context, workspace_id, events);
    return toFile(file);
  });

  bus.serve(contracts.deleteLinkedFile, async (request) => {
    const { workspace_id, subtask_id } = request;
    const card = await requireCardOf(request);
    requireWritable(card);
    const { events, change } = await db.transaction(async (tx) => {
      const file = await findShown(tx, 'linked_files', { workspace_id, subtask_id });
      const [change] = await clear(tx, sql`workspace_id = ${workspace_id} and subtask_id = ${subtask_id}`);
      const moment = now();
      const events = await eventsOf(tx, request, change, moment);
      if (change && file) await note(tx, request, moment, { card, file, former: file, data: null }, events);
      return { events, change };
    });
    if (change) feed.nudge(workspace_id);
    await handOver(context, workspace_id, events);
    return { deleted: true as const };
  });

  bus.serve(contracts.readLinks, ({ workspace_id, ...range }) => db.read((tx) => readLinks(tx, workspace_id, range)));
};

/** Clears every link to a file. @returns the events */
export const clearLinksOf = async (tx: Tx, workspaceId: string, fileId: string, now: Date): Promise<LinkEvent[]> => {
  const changes = await clear(tx, sql`workspace_id = ${workspaceId} and file_id = ${fileId}`);
  return changes.map((change) => eventOf(change, now));
};

/** Call it after the commit: nudges the card service, and hands links over to it before their writer is answered. */
export const handOver = async (
  { bus, feed }: ServiceContext,
  workspaceId: string,
  events: LinkEvent[],
): Promise<void> => {
  feed.nudgeProjections(workspaceId);
  await Promise.all(events.map((event) => bus.callBestEffort(contracts.projectLinkedFile, event)));
};

/** A subtask's link. A cleared one keeps the number of its changes. */
type Link = Selectable<Tables['linked_files']>;

/**
 * Makes the event of a link in the desired state, where this request changed it, and also where it was so before: the
 * earlier writer may have crashed before it handed over its event. Empty where there never was a link to clear, and
 * where a later request has changed it.
 */
const eventsOf = async (
  tx: Tx,
  { workspace_id, subtask_id }: Pick<Link, 'workspace_id' | 'subtask_id'>,
  change: Link | undefined,
  now: Date,
  file?: StoredFile,
) => {
  const asked = { workspace_id, subtask_id, file_id: file?.id ?? null };
  const links = tx.selectFrom('linked_files').selectAll();
  const link = change ?? (await links.where(({ and }) => and(asked)).executeTakeFirst());
  return link ? [eventOf(link, now, file)] : [];
};

const eventOf = ({ workspace_id, subtask_id, card_id, version }: Link, now: Date, file?: StoredFile): LinkEvent =>
  newInternalEvent(linkedFileChanged, {
    workspaceId: workspace_id,
    aggregate: { id: subtask_id, version },
    data: { subtask_id, card_id, file: file ? { id: file.id, name: file.name, board_id: file.board_id } : null },
    now,
  });

/** @returns undefined where that changes nothing */
const setLink = async (tx: Tx, workspaceId: string, subtaskId: string, cardId: string, fileId: string) => {
  const { rows } = await sql<Link>`
    insert into linked_files (workspace_id, subtask_id, card_id, file_id, version)
    values (${workspaceId}, ${subtaskId}, ${cardId}, ${fileId}, 1)
    on conflict (workspace_id, subtask_id) do update
    set file_id = excluded.file_id, version = linked_files.version + 1
    where linked_files.file_id is distinct from excluded.file_id
    returning *`.execute(tx);
  return rows[0];
};

const clear = async (tx: Tx, which: ReturnType<typeof sql>) => {
  const { rows } = await sql<Link>`
    update linked_files set file_id = null, version = version + 1 where file_id is not null and ${which}
    returning *`.execute(tx);
  return rows;
};

/** Links per page of {@link readLinks}. */
const linksAtOnce = 500;

/** Reads the links of subtasks with their files, by subtask, for the projection of the card service. */
const readLinks = async (
  tx: Reader,
  workspaceId: string,
  { after, through }: { after: string | null; through: string | null },
) => {
  const rows = await tx
    .selectFrom('linked_files as link')
    .leftJoin('files as file', (join) =>
      join.onRef('file.workspace_id', '=', 'link.workspace_id').onRef('file.id', '=', 'link.file_id'),
    )
    .select(['link.subtask_id', 'link.card_id', 'link.version', 'file.id', 'file.name', 'file.board_id'])
    .where('link.workspace_id', '=', workspaceId)
    .where('link.subtask_id', '>', after ?? NIL)
    .where('link.subtask_id', '<=', through ?? MAX)
    .orderBy('link.subtask_id')
    .limit(linksAtOnce)
    .execute();
  const links = rows.map(({ id, name, board_id, ...link }) => ({
    ...link,
    file: id !== null && name !== null ? { id, name, board_id } : null,
  }));
  return { links, next: rows.length < linksAtOnce ? null : (rows.at(-1)?.subtask_id ?? null) };
};
