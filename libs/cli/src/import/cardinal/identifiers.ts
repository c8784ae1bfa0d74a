import { type AdoptCardsInput, type Card, type CardinalClient, CardinalError } from '@cardinal/client/source';
import { CliError } from '../../errors.ts';
import { forEachConcurrently, goOn } from '../concurrently.ts';
import { ifFound } from '../found.ts';
import { columnsAtOnce, type ImportContext } from './context.ts';
import type { CardLine } from './format.ts';
import type { Named, Step } from './replay.ts';
import { goneColumn } from './structure.ts';
import type { CardHead, CardReader } from './survey.ts';

type CardToAdopt = AdoptCardsInput['cards'][number];

const cardsAtOnce = 100;
// The API takes bodies of 1 MiB; quotes and umlauts take more bytes than characters.
const charactersAtOnce = 200_000;
const deletedTitle = 'Deleted';

/** What a create and an adoption have in common. */
const contentOf = ({ journal }: ImportContext, card: CardLine) => ({
  title: card.title,
  description: card.description,
  due_date: card.due_date,
  priority: card.priority,
  assignee_user_ids: card.assignee_user_ids,
  // A label that was deleted while the export was read is not in it.
  label_ids: card.label_ids
    .map((id) => `label ${id}`)
    .filter(journal.isDone)
    .map(journal.id),
});

/** Cards of one column with one prefix that stand together, from the bottom. */
interface Run {
  prefix: string;
  cards: { named: Named; head: CardHead | undefined }[];
}

const prefixOf = (identifier: string | undefined) => identifier?.split('-')[0] ?? '';

/** The cards that bring identifiers along, by column, in runs from the bottom: so every one comes to stand where it stood. */
const runsOf = ({ survey, replay }: ImportContext): Run[][] => {
  const columns = new Map<string, { named: Named; head: CardHead | undefined }[]>();
  for (const named of replay.all) {
    if ((replay.adopted.get(named.id) ?? 0) === 0) continue;
    const head = survey.cards.get(named.id);
    const column = head?.column_id ?? goneColumn;
    const cards = columns.get(column) ?? [];
    cards.push({ named, head });
    columns.set(column, cards);
  }
  return [...columns.values()].map((cards) => {
    const runs: Run[] = [];
    for (const card of cards.sort((a, b) => (b.head?.position ?? 0) - (a.head?.position ?? 0))) {
      const prefix = prefixOf(card.named.identifiers[(replay.adopted.get(card.named.id) ?? 0) - 1]?.identifier);
      const last = runs.at(-1);
      if (last?.prefix === prefix && last.cards.length < cardsAtOnce) last.cards.push(card);
      else runs.push({ prefix, cards: [card] });
    }
    return runs;
  });
};

const toAdopt = async (
  context: ImportContext,
  reader: CardReader,
  { named, head }: Run['cards'][number],
): Promise<CardToAdopt> => {
  const { journal, replay } = context;
  const all = named.identifiers.slice(0, replay.adopted.get(named.id)).map(({ identifier }) => identifier);
  const number = Number(all.at(-1)?.split('-')[1]);
  const former = all.slice(0, -1);
  const identity = { number, ...(former.length > 0 && { former }) };
  if (!head) return { ...identity, column_id: journal.id(goneColumn), title: deletedTitle };
  const card = await reader.read(head);
  return {
    ...identity,
    column_id: journal.id(`column ${head.column_id}`),
    ...contentOf(context, card),
    completed_at: card.completed_at,
    archived_at: card.archived_at,
    created_at: card.created_at,
    created_by: card.created_by,
  };
};

const adopt = async (context: ImportContext, workstream: string, names: string[], cards: CardToAdopt[]) => {
  const { client, journal } = context;
  await journal.onceForAll(names, async (options) => {
    // The first of a list comes to stand on top.
    const answers = await client.cards.adopt(workstream, { cards: cards.toReversed() }, options);
    return answers.toReversed().map(({ data, error, identifier }) => {
      if (data) return data.id;
      throw new CliError(`${identifier} was refused: ${error?.message}`);
    });
  });
  context.done.cards += cards.length;
};

/** Adopts the cards that bring identifiers along, and deletes those again that are deleted. */
export const adoptCards = async (context: ImportContext, reader: CardReader): Promise<void> => {
  const { client, journal, survey, replay } = context;
  const workstreams = new Map(survey.workstreams.map(({ id, prefix }) => [prefix, `workstream ${id}`]));
  const adoptRuns = async (runs: Run[]) => {
    for (const { prefix, cards: run } of runs) {
      goOn(context);
      const workstream = journal.id(workstreams.get(prefix) ?? `workstream ${prefix}`);
      let names: string[] = [];
      let cards: CardToAdopt[] = [];
      let characters = 0;
      for (const one of run) {
        const card = await toAdopt(context, reader, one);
        const length = 1_000 + card.title.length + (card.description?.length ?? 0) + 40 * (card.former?.length ?? 0);
        if (cards.length > 0 && characters + length > charactersAtOnce) {
          await adopt(context, workstream, names, cards);
          [names, cards, characters] = [[], [], 0];
        }
        names.push(`card ${one.named.id}`);
        cards.push(card);
        characters += length;
      }
      await adopt(context, workstream, names, cards);
    }
  };
  await forEachConcurrently(runsOf(context), { ...context, concurrency: columnsAtOnce }, adoptRuns);
  for (const { id, isGone, identifiers } of replay.all) {
    if (isGone && replay.adopted.get(id) === identifiers.length) await deleteGone(client, context, id);
  }
};

const deleteGone = async (client: CardinalClient, { journal }: ImportContext, id: string): Promise<void> => {
  await journal.once(`deleted ${id}`, async () => {
    const card = await ifFound(client.cards.get(journal.id(`card ${id}`)));
    if (card) await client.cards.delete(card);
    return '';
  });
};

const idOf = ({ identifier }: Step, card: Card): string => {
  if (card.identifier === identifier) return card.id;
  throw new CliError(
    `${card.identifier} was issued where ${identifier} was to come: somebody else works in this workspace; begin again in an empty one`,
  );
};

const create = async (context: ImportContext, reader: CardReader, step: Step): Promise<void> => {
  const { client, journal, survey } = context;
  const workstream_id = workstreamOf(context, step.prefix);
  await journal.once(`card ${step.id}`, async (options) => {
    const head = survey.cards.get(step.id);
    const column = journal.id(head ? `column ${head.column_id}` : goneColumn);
    const content = head ? contentOf(context, await reader.read(head)) : { title: deletedTitle };
    return idOf(step, await client.cards.create(column, { ...content, workstream_id }, options));
  });
  context.done.cards += 1;
};

const transfer = async (context: ImportContext, step: Step): Promise<void> => {
  const { client, journal } = context;
  await journal.once(`identifier ${step.identifier}`, async () => {
    const card = await client.cards.get(journal.id(`card ${step.id}`));
    // The run before was killed between the transfer and its note.
    if (card.identifier === step.identifier) return card.id;
    return idOf(step, await client.cards.transfer(card, { workstream_id: workstreamOf(context, step.prefix) }));
  });
};

const workstreamOf = ({ survey, journal }: ImportContext, prefix: string): string => {
  const workstream = survey.workstreams.find((one) => one.prefix === prefix);
  if (!workstream) throw new CliError(`the export has no workstream ${prefix}`);
  return journal.id(`workstream ${workstream.id}`);
};

/** Creates and transfers cards one after the other, so that each gets the identifiers that it had. */
export const replaySteps = async (context: ImportContext, reader: CardReader): Promise<void> => {
  for (const step of context.replay.steps) {
    goOn(context);
    try {
      if (step.isFirst) await create(context, reader, step);
      else await transfer(context, step);
    } catch (error) {
      if (!(error instanceof CardinalError) || error.code !== 'validation_error') throw error;
      throw new CliError(`${step.identifier}: ${error.message}`, { cause: error });
    }
    if (step.isGone && step.isLast) await deleteGone(context.client, context, step.id);
  }
};
