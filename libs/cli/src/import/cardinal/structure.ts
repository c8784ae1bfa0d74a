import type { Board, CardinalClient } from '@cardinal/client/source';
import { mainPrefix } from '@cardinal/contracts';
import { CliError } from '../../errors.ts';
import { findWorkstreams } from '../apply/workspace.ts';
import { archiveOnce, changeOnce, deleteOnce, type ImportContext } from './context.ts';

/** The column of cards that are created for their identifiers and deleted again. */
export const goneColumn = 'column of the gone';
const goneBoard = 'board of the gone';

/** Checks that the workspace is empty. @throws CliError if anything is in it */
export const checkEmpty = async (client: CardinalClient): Promise<void> => {
  const count = async (list: { all(options: { limit: number }): Promise<unknown[]> }) =>
    (await list.all({ limit: 1 })).length > 0;
  const workstreams = [...(await findWorkstreams(client)).values()];
  const main = workstreams.find(({ is_default }) => is_default);
  const found = [
    workstreams.some(({ is_default }) => !is_default) && 'workstreams',
    ((await count(client.boards.list())) || (await count(client.boards.list({ archived: true })))) && 'boards',
    (await count(client.labels.list())) && 'labels',
    (await count(client.files.list())) && 'files',
    main && (await count(client.workstreams.listIdentifiers(main.id))) && 'identifiers of MAIN',
  ].filter((what) => typeof what === 'string');
  if (found.length > 0) {
    throw new CliError(
      `the workspace has ${found.join(', ')}; an export goes into an empty workspace, "npm run key -- --workspace UUID" makes a key for one`,
    );
  }
};

/**
 * Creates labels, boards and columns in order; the last step archives and deletes. Unlike an import from a tracker
 * (`apply/workspace.ts`) it finds none by name: the workspace is empty, and two boards of an export may have one name.
 */
export const makeStructure = async ({ client, journal, survey, replay }: ImportContext): Promise<void> => {
  for (const { id, name, color } of survey.labels) {
    await journal.once(`label ${id}`, async (key) => (await client.labels.create({ name, color }, key)).id);
  }
  for (const { id, name, visibility } of survey.boards) {
    await journal.once(`board ${id}`, async (key) => (await client.boards.create({ name, visibility }, key)).id);
  }
  for (const { id, board_id, name } of survey.columns) {
    const board = journal.id(`board ${board_id}`);
    await journal.once(`column ${id}`, async (key) => (await client.columns.create(board, { name }, key)).id);
  }
  if (!replay.all.some(({ isGone }) => isGone)) return;
  const about = { name: 'Identifiers of deleted cards', visibility: 'private' } as const;
  const board = await journal.once(goneBoard, async (key) => (await client.boards.create(about, key)).id);
  await journal.once(goneColumn, async (key) => (await client.columns.create(board, { name: 'Deleted' }, key)).id);
};

/** Creates the workstreams. Those whose cards keep identifiers adopt, and so do those that adopted in the export. */
export const makeWorkstreams = async ({ client, journal, survey, replay }: ImportContext): Promise<void> => {
  const adopting = new Set<string>();
  for (const { id, identifiers } of replay.all) {
    for (const { identifier } of identifiers.slice(0, replay.adopted.get(id)))
      adopting.add(identifier.split('-')[0] ?? '');
  }
  for (const { id, prefix, name, description, adopting: stillAdopts } of survey.workstreams) {
    if (prefix === mainPrefix && !adopting.has(prefix) && !stillAdopts) {
      await journal.once(`workstream ${id}`, async () => {
        const main = (await findWorkstreams(client)).get(mainPrefix);
        if (!main) throw new CliError('the workspace has no default workstream');
        const isSame = main.name === name && main.description === description;
        return isSame ? main.id : (await client.workstreams.update(main, { name, description })).id;
      });
      continue;
    }
    const body = { name, prefix, description, ...((adopting.has(prefix) || stillAdopts) && { adopting: true }) };
    await journal.once(`workstream ${id}`, async (key) => (await client.workstreams.create(body, key)).id);
  }
};

/** Opens the workstreams that were open; they continue with the first number that is issued anew. */
export const openWorkstreams = async ({ client, journal, survey, replay }: ImportContext): Promise<void> => {
  for (const { id, prefix, adopting } of survey.workstreams) {
    if (adopting) continue;
    await journal.once(`opened ${prefix}`, async () => {
      const workstream = await client.workstreams.get(journal.id(`workstream ${id}`));
      const next = replay.next.get(prefix);
      if (workstream.adopting)
        await client.workstreams.open(workstream, next === undefined ? {} : { next_number: next });
      return '';
    });
  }
};

/** Sets members and default workstreams of boards. The creator of a private board becomes an owner, and so still sees it. */
export const furnishBoards = async (context: ImportContext): Promise<void> => {
  const { client, journal, survey } = context;
  const { user_id: importer } = await client.me.get();
  for (const { id, name, members, default_workstream_id, deleted_at, created_by, visibility } of survey.boards) {
    if (deleted_at !== null) continue;
    const board = journal.id(`board ${id}`);
    for (const { user_id, role } of members) {
      await journal.once(
        `member ${id} ${user_id}`,
        async () => (await client.boards.addMember(board, user_id, { role })).user_id,
      );
    }
    if (visibility === 'private' && created_by !== importer) {
      await journal.once(
        `owner ${id}`,
        async () => (await client.boards.addMember(board, created_by, { role: 'owner' })).user_id,
      );
    }
    if (default_workstream_id === null) continue;
    if (survey.workstreams.some((one) => one.id === default_workstream_id && one.adopting)) {
      context.left.push(`the default workstream of board "${name}": it still adopts`);
      continue;
    }
    const workstream = journal.id(`workstream ${default_workstream_id}`);
    const update = (one: Board) => client.boards.update(one, { default_workstream_id: workstream });
    await changeOnce(context, `default of ${id}`, () => client.boards.get(board), update);
  }
};

/** Archives and deletes what was archived and deleted, columns first: no further card is added to them. */
export const closeStructure = async (context: ImportContext): Promise<void> => {
  const { client, journal, survey, replay } = context;
  for (const { id, archived_at } of survey.columns) {
    if (archived_at !== null) {
      await archiveOnce(context, `archived column ${id}`, journal.id(`column ${id}`), client.columns);
    }
  }
  for (const { id, archived_at, deleted_at } of survey.boards) {
    const board = journal.id(`board ${id}`);
    if (archived_at !== null) await archiveOnce(context, `archived board ${id}`, board, client.boards);
    if (deleted_at !== null) await deleteOnce(context, `deleted board ${id}`, board, client.boards);
  }
  for (const { id, prefix, archived_at } of survey.workstreams) {
    if (archived_at === null) continue;
    await archiveOnce(context, `archived ${prefix}`, journal.id(`workstream ${id}`), client.workstreams);
  }
  if (replay.all.some(({ isGone }) => isGone)) {
    await deleteOnce(context, 'deleted the board of the gone', journal.id(goneBoard), client.boards);
  }
};
