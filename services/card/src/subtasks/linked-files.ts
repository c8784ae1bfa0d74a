import { isDeepStrictEqual } from 'node:util';
import {
  type Caller,
  type InternalEventOf,
  linkedFileChanged,
  projectLinkedFile,
  readLinks,
} from '@cardinal/contracts';
import { comparePages, type Projection } from '@cardinal/service';
import { sql } from 'kysely';
import { NIL } from 'uuid';
import type { z } from 'zod';
import { boardsSeen } from '../boards/queries.ts';
import { lockRow } from '../cards/queries.ts';
import type { ServiceContext } from '../context.ts';
import type { Reader, RowOf, Tx } from '../database.ts';

/** Links compared at once. */
const linksAtOnce = 500;

/** What the column `linked_file` holds: the file, and the board that decides who sees it. */
export type KeptLink = Link['file'];

/** A subtask's link as the attachment service has it. */
type Link = z.output<typeof readLinks.reply>['links'][number];

/** Projects the files that subtasks are linked to, from which subtasks show theirs. */
export const projectLinks = ({ bus, db, now }: ServiceContext): Projection => {
  const project = ({ workspace_id, aggregate_version: version, data }: InternalEventOf<typeof linkedFileChanged>) =>
    db.transaction((tx) => storeNewer(tx, workspace_id, { ...data, version }, now()));

  bus.serve(projectLinkedFile, async (event) => ({ applied: await project(event) }));

  return {
    owner: 'attachment',
    take: async (events) => {
      for (const event of events) {
        if (event.type === linkedFileChanged.type) await project(linkedFileChanged.schema.parse(event));
      }
    },
    rebuildPage: comparePages<Stored, Link>({
      atOnce: linksAtOnce,
      keyOf: ({ subtask_id }) => subtask_id,
      rowsAfter: (workspaceId, after) => db.read((tx) => listStored(tx, workspaceId, after)),
      ask: async (range) => {
        const { links: states, next } = await bus.call(readLinks, range);
        return { states, next };
      },
      mend: async (workspaceId, rows, { states }) => {
        for (const [row, { version, file } = { version: 0, file: null }] of rows) {
          const isRight = row.linked_file_version === version && isDeepStrictEqual(row.linked_file, file);
          if (row.linked_file_version < version || isRight) continue;
          await db.transaction((tx) => replace(tx, row, { version, file }, now()));
        }
        for (const link of states) await db.transaction((tx) => storeNewer(tx, workspaceId, link, now()));
      },
    }),
  };
};

/**
 * Stores the state of a subtask's link that the attachment service reports, only if newer. The subtask's version rises by
 * one for each change of its link, including updates that arrived late: a link's version counts its changes. The card's
 * version stays, as it does with its cover.
 * @returns whether something changed
 */
const storeNewer = async (
  tx: Tx,
  workspaceId: string,
  { subtask_id, card_id, file, version: link }: Link,
  now: Date,
): Promise<boolean> => {
  // Subtasks are written under their card's lock: no version may be given twice.
  await lockRow(tx, workspaceId, card_id);
  const { numUpdatedRows } = await tx
    .updateTable('subtasks')
    .set({
      linked_file: file && JSON.stringify(file),
      linked_file_version: link,
      version: sql<number>`version + ${link}::integer - linked_file_version`,
      updated_at: sql<Date>`greatest(updated_at, ${now}::timestamptz(3))`,
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', subtask_id)
    .where('linked_file_version', '<', link)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
};

type Stored = Pick<RowOf<'subtasks'>, 'workspace_id' | 'card_id' | 'linked_file' | 'linked_file_version'> & {
  subtask_id: string;
};

const listStored = (tx: Reader, workspaceId: string, after: string | null): Promise<Stored[]> =>
  tx
    .selectFrom('subtasks')
    .select(['workspace_id', 'id as subtask_id', 'card_id', 'linked_file', 'linked_file_version'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '>', after ?? NIL)
    .where('linked_file_version', '>', 0)
    .orderBy('id')
    .limit(linksAtOnce)
    .execute();

/** Stores what the owner says though it is not newer, where the link is still the one that was compared. */
const replace = async (tx: Tx, row: Stored, { version, file }: Pick<Link, 'version' | 'file'>, now: Date) => {
  await lockRow(tx, row.workspace_id, row.card_id);
  await tx
    .updateTable('subtasks')
    .set({
      linked_file: file && JSON.stringify(file),
      linked_file_version: version,
      version: sql<number>`version + 1`,
      updated_at: sql<Date>`greatest(updated_at, ${now}::timestamptz(3))`,
    })
    .where('workspace_id', '=', row.workspace_id)
    .where('id', '=', row.subtask_id)
    .where('linked_file_version', '=', row.linked_file_version)
    .execute();
};

/** Of the boards that the links of these subtasks depend on, those that the caller sees. */
export const linkBoardsSeen = (tx: Reader, caller: Caller, rows: readonly { linked_file: unknown }[]) =>
  boardsSeen(
    tx,
    caller,
    rows.map((row) => (row.linked_file as KeptLink)?.board_id).filter((id) => id != null),
  );
