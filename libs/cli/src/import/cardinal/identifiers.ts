import type { Card } from '@cardinal/client/source';
import type { CardToAdopt } from '@cardinal/contracts';
import { CliError } from '../../errors.ts';
import { adoptInOrder, batches } from '../apply/batches.ts';
import { forEachConcurrently, goOn } from '../concurrently.ts';
import { isRefused } from '../found.ts';
import { columnsAtOnce, deleteOnce, type ImportContext } from './context.ts';
import type { CardLine } from './format.ts';
import type { Named, Step } from './replay.ts';
import { goneColumn } from './structure.ts';
import type { CardHead, CardReader } from './survey.ts';

const deletedTitle = 'Deleted';

/** The fields that a create and an adoption share. A new field of a card is added here. */
const contentOf = ({ journal }: ImportContext, card: CardLine) => ({
  title: card.title,
  description: card.description,
  due_date: card.due_date,
  priority: card.priority,
  assignee_user_ids: card.assignee_user_ids,
  // The export lacks a label that was deleted while it was written.
  label_ids: card.label_ids
    .map((id) => `label ${id}`)
    .filter(journal.isDone)
    .map(journal.id),
});

/** A card that keeps its identifiers; without a head it is deleted. */
interface Coming {
  named: Named;
  head: CardHead | undefined;
}

/** The cards of each column from the bottom, so that each gets its former place. Omits cards that an earlier run adopted. */
const columnsOf = ({ survey, replay, journal }: ImportContext): Coming[][] => {
  const columns = new Map<string, Coming[]>();
  for (const named of replay.all) {
    if ((replay.adopted.get(named.id) ?? 0) === 0 || journal.isDone(`card ${named.id}`)) continue;
    const head = survey.cards.get(named.id);
    const column = head?.column_id ?? goneColumn;
    const cards = columns.get(column) ?? [];
    cards.push({ named, head });
    columns.set(column, cards);
  }
  return [...columns.values()].map((cards) => cards.sort((a, b) => (b.head?.position ?? 0) - (a.head?.position ?? 0)));
};

/** A card in a request, with its name in the export and the prefix of its workstream. */
interface Adopted {
  name: string;
  prefix: string;
  card: CardToAdopt;
}

const toAdopt = async (context: ImportContext, reader: CardReader, { named, head }: Coming): Promise<Adopted> => {
  const { journal, replay } = context;
  const all = named.identifiers.slice(0, replay.adopted.get(named.id)).map(({ identifier }) => identifier);
  const [prefix = '', number] = all.at(-1)?.split('-') ?? [];
  const former = all.slice(0, -1);
  const identity = { number: Number(number), ...(former.length > 0 && { former }) };
  const about = { name: `card ${named.id}`, prefix };
  if (!head) return { ...about, card: { ...identity, column_id: journal.id(goneColumn), title: deletedTitle } };
  const line = await reader.read(head);
  const { completed_at, archived_at, created_at, created_by } = line;
  const past = { completed_at, archived_at, created_at, created_by };
  const column_id = journal.id(`column ${head.column_id}`);
  return { ...about, card: { ...identity, column_id, ...contentOf(context, line), ...past } };
};

/** Adopts the cards that keep identifiers, then deletes those that are deleted in the export. */
export const adoptCards = async (context: ImportContext, reader: CardReader): Promise<void> => {
  const { client, journal, replay } = context;
  const adoptColumn = async (column: Coming[]) => {
    async function* cards() {
      for (const one of column) yield toAdopt(context, reader, one);
    }
    const sizeOf = ({ card }: Adopted) => ({ ...card, names: card.former?.length ?? 0 });
    for await (const batch of batches(cards(), ({ prefix }) => prefix, sizeOf, true)) {
      goOn(context);
      const workstream = workstreamOf(context, batch[0].prefix);
      await journal.onceForAll(
        batch.map(({ name }) => name),
        async (options) => {
          const sent = batch.map(({ card }) => card);
          return (await adoptInOrder(client, workstream, sent, options)).map(({ data, error, identifier }) => {
            if (data) return data.id;
            throw new CliError(`${identifier} was refused: ${error?.message}`);
          });
        },
      );
      context.done.cards += batch.length;
    }
  };
  const columns = columnsOf(context);
  context.done.cards = [...replay.adopted.values()].filter((count) => count > 0).length - columns.flat().length;
  await forEachConcurrently(columns, { ...context, concurrency: columnsAtOnce }, adoptColumn);
  for (const { id, isGone, identifiers } of replay.all) {
    if (isGone && replay.adopted.get(id) === identifiers.length) await deleteGone(context, id);
  }
};

const deleteGone = (context: ImportContext, id: string): Promise<string> =>
  deleteOnce(context, `deleted ${id}`, context.journal.id(`card ${id}`), context.client.cards);

const idOf = ({ identifier }: Step, card: Card): string => {
  if (card.identifier === identifier) return card.id;
  throw new CliError(
    `${card.identifier} was issued, not ${identifier}: another client writes in this workspace; import into an empty one`,
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
    // The run before was killed between the transfer and its line in the journal.
    if (card.identifier === step.identifier) return card.id;
    return idOf(step, await client.cards.transfer(card, { workstream_id: workstreamOf(context, step.prefix) }));
  });
};

const workstreamOf = ({ survey, journal }: ImportContext, prefix: string): string => {
  const workstream = survey.workstreams.find((one) => one.prefix === prefix);
  if (!workstream) throw new CliError(`the export has no workstream ${prefix}`);
  return journal.id(`workstream ${workstream.id}`);
};

/** Creates and transfers cards in order, so that each gets its former identifiers. */
export const replaySteps = async (context: ImportContext, reader: CardReader): Promise<void> => {
  for (const step of context.replay.steps) {
    goOn(context);
    try {
      if (step.isFirst) await create(context, reader, step);
      else await transfer(context, step);
    } catch (error) {
      if (!isRefused(error, 'validation_error')) throw error;
      throw new CliError(`${step.identifier}: ${error.message}`, { cause: error });
    }
    if (step.isGone && step.isLast) await deleteGone(context, step.id);
  }
};
