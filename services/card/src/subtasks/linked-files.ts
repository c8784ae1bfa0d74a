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

/** Links per page of the comparison with the owner. */
const linksAtOnce = 500;

/** The value of the column `linked_file`: the file, and the board whose visibility applies to it. */
export type StoredLink = Link['file'];

/** The state of a subtask's link in the attachment service. */
type Link = z.output<typeof readLinks.reply>['links'][number];

/**
 * Creates the projection of linked files (ARCHITECTURE, "Projections"). Reads of subtasks take their linked files from
 * it.
 */
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
 * Stores a subtask's link as the attachment service reports it, unless the stored link is as new. The version of a link
 * counts its changes, and the subtask's version rises by the number of new changes. The card's version stays, as with
 * covers.
 * @returns whether the row changed
 */
const storeNewer = async (
  tx: Tx,
  workspaceId: string,
  { subtask_id, card_id, file, version: link }: Link,
  now: Date,
): Promise<boolean> => {
  // Every write of a subtask holds its card's lock, so no version is given twice.
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

/** Stores the owner's state of a link although it is not newer, where the row has not changed since the comparison. */
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

/**
 * Finds the boards whose visibility applies to the linked files of subtasks.
 * @returns the ids of those that the caller sees
 */
export const linkBoardsSeen = (tx: Reader, caller: Caller, rows: readonly { linked_file: unknown }[]) =>
  boardsSeen(
    tx,
    caller,
    rows.map((row) => (row.linked_file as StoredLink)?.board_id).filter((id) => id != null),
  );
