import { createHash } from 'node:crypto';
import { createReadStream, openAsBlob } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Card } from '@cardinal/client/source';
import { CliError } from '../../errors.ts';
import { makeExtras } from '../apply/extras.ts';
import { type LinkOutcome, makeLinks } from '../apply/links.ts';
import { forEachConcurrently, goOn } from '../concurrently.ts';
import { isRefused } from '../found.ts';
import type { Edge } from '../plan/cycles.ts';
import { archiveOnce, changeOnce, type ImportContext } from './context.ts';
import { type FileLine, filesFolder, type LineOf } from './format.ts';
import { readLines } from './survey.ts';

const checkBytes = async (path: string, { name, sha256 }: FileLine): Promise<void> => {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
  } catch (error) {
    throw new CliError(`cannot read the file "${name}": ${(error as Error).message}`, { cause: error });
  }
  if (hash.digest('hex') !== sha256) throw new CliError(`${path} ("${name}") is not what was exported`);
};

/** Uploads the files, so that they are listed in their order, and waits for their checks. */
export const uploadFiles = async (context: ImportContext, folder: string): Promise<void> => {
  const { client, journal, survey, left } = context;
  const boards = new Set(survey.boards.map(({ id }) => id));
  const isPlaced = ({ board_id }: FileLine) => board_id === null || boards.has(board_id);
  left.push(
    ...survey.files.filter((file) => !isPlaced(file)).map(({ name }) => `file "${name}": its board is not there`),
  );
  const files = survey.files.filter((file) => isPlaced(file) && !journal.isDone(`file ${file.id}`));
  for (let n = 0; n < files.length; n += context.concurrency) {
    goOn(context);
    const some = files.slice(n, n + context.concurrency).map((file) => {
      const board_id = file.board_id === null ? null : journal.id(`board ${file.board_id}`);
      return { file, about: { name: file.name, board_id }, path: join(folder, filesFolder, file.id) };
    });
    // Files are created in order, and their bytes sent concurrently: an upload under the same key continues its file.
    for (const { file, about, path } of some) {
      await checkBytes(path, file);
      await journal.once(`begun file ${file.id}`, async (key) => (await client.files.create(about, key)).id);
    }
    await Promise.all(
      some.map(async ({ file, about, path }) => {
        const idempotencyKey = journal.keyOf(`begun file ${file.id}`);
        try {
          await client.files.upload(about, await openAsBlob(path), { idempotencyKey });
        } catch (error) {
          if (!isRefused(error, 'file_not_clean')) throw error;
          left.push(`file "${file.name}": ${error.message}`);
        }
        await journal.once(`file ${file.id}`, async () => journal.id(`begun file ${file.id}`));
      }),
    );
  }
};

interface Content {
  cardId: string;
  comments: LineOf<'comment'>[];
  subtasks: LineOf<'subtask'>[];
}

async function* contents(file: string): AsyncGenerator<Content> {
  let content: Content | undefined;
  for await (const { line } of readLines(file)) {
    if (line.type === 'card') {
      if (content) yield content;
      content = { cardId: line.id, comments: [], subtasks: [] };
    } else if (line.type === 'comment') content?.comments.push(line);
    else if (line.type === 'subtask') content?.subtasks.push(line);
  }
  if (content) yield content;
}

/** Comments, subtasks, and the files that are linked to these. */
export const makeContents = async (context: ImportContext): Promise<void> => {
  const { client, journal, survey } = context;
  await forEachConcurrently(contents(survey.file), context, async ({ cardId, comments, subtasks }) => {
    const card = journal.id(`card ${cardId}`);
    const step = `contents of ${cardId}`;
    if (comments.length + subtasks.length === 0 || journal.isDone(step)) return;
    const extras = {
      comments: comments.map(({ body }) => body),
      subtasks: subtasks.map(({ title, completed_at }) => ({ title, completed: completed_at !== null })),
    };
    const made = await makeExtras(client, card, extras, !journal.isBegun);
    for (const [n, { id, linked_file }] of subtasks.entries()) {
      if (linked_file === null) continue;
      const link = (file: string) => client.subtasks.setLinkedFile(made[n] ?? '', file);
      await withFile(context, linked_file.id, `linked file ${id}`, link);
    }
    await journal.once(step, async () => card);
  });
};

/** Calls a function with a file, if the export has it. */
const withFile = async (
  { journal, left }: ImportContext,
  fileId: string,
  step: string,
  work: (file: string) => Promise<unknown>,
): Promise<void> => {
  await journal.once(step, async () => {
    if (!journal.isDone(`file ${fileId}`)) {
      left.push(`${step}: the file ${fileId} is not there`);
      return '';
    }
    const file = journal.id(`file ${fileId}`);
    try {
      await work(file);
    } catch (error) {
      if (!isRefused(error, 'conflict', 'not_found', 'validation_error')) throw error;
      left.push(`${step}: ${error.message}`);
    }
    return file;
  });
};

/** Sets the states of cards with new numbers, and covers. */
export const finishCards = async (context: ImportContext): Promise<void> => {
  const { client, journal, survey, replay } = context;
  await forEachConcurrently(survey.cards.values(), context, async ({ id, isCompleted, cover_file_id }) => {
    const card = journal.id(`card ${id}`);
    const isNew = (replay.adopted.get(id) ?? 0) === 0;
    if (isNew && isCompleted) {
      const complete = (one: Card) => client.cards.update(one, { completed: true });
      await changeOnce(context, `completed ${id}`, () => client.cards.get(card), complete);
    }
    if (cover_file_id !== null) {
      await withFile(context, cover_file_id, `cover of ${id}`, (file) => client.cards.setCover(card, file));
    }
  });
};

/** Archives the archived cards that have new numbers; adopted ones were archived at once. */
export const archiveCards = async (context: ImportContext): Promise<void> => {
  const { client, journal, survey, replay } = context;
  await forEachConcurrently(survey.cards.values(), context, async ({ id, isArchived }) => {
    if (!isArchived || (replay.adopted.get(id) ?? 0) > 0) return;
    await archiveOnce(context, `archived ${id}`, journal.id(`card ${id}`), client.cards);
  });
};

/** Creates dependencies in their former order, which is the order of lists. */
export const makeDependencies = async (context: ImportContext): Promise<void> => {
  const { client, journal, survey, left, isStopped } = context;
  await journal.once('dependencies', async () => {
    const all = [...survey.cards.values()].flatMap(({ id, depends_on }) =>
      depends_on.map(({ card_id, created_at }) => ({ id, card_id, created_at })),
    );
    const edges = all
      .filter(({ card_id }) => survey.cards.has(card_id))
      .sort((a, b) => (a.created_at < b.created_at ? -1 : 1))
      .map(({ id, card_id }): Edge => [id, card_id]);
    const outcome: LinkOutcome = { made: 0, missing: [], refused: [] };
    await makeLinks(edges, { client, concurrency: 1, isStopped }, (id) => journal.id(`card ${id}`), outcome);
    left.push(...[...outcome.missing, ...outcome.refused].map((line) => `dependency ${line}`));
    return '';
  });
};
