import { basename } from 'node:path';
import { z } from 'zod';
import { readJson } from '../../files.ts';
import type { Comment, Issue, LeftOut, Read, Source } from '../issue.ts';
import { inUtc } from './dates.ts';
import type { Encoding } from './encoding.ts';

const named = z.object({ id: z.string(), name: z.string() });
const date = z.iso.datetime({ offset: true }).nullish();
const ids = z.array(z.string()).default([]);

const card = z.looseObject({
  id: z.string().regex(/^[0-9a-f]{24}$/),
  idShort: z.int().min(1),
  idList: z.string(),
  name: z.string(),
  desc: z.string().default(''),
  due: date,
  dueComplete: z.boolean().default(false),
  dateLastActivity: date,
  closed: z.boolean().default(false),
  pos: z.number().default(0),
  idLabels: ids,
  idMembers: ids,
  attachments: z.array(z.unknown()).default([]),
  customFieldItems: z.array(z.unknown()).default([]),
});
type ExportedCard = z.infer<typeof card>;

const action = z.object({
  type: z.string(),
  date: z.iso.datetime({ offset: true }),
  memberCreator: z.object({ username: z.string() }).nullish(),
  data: z
    .looseObject({
      text: z.string().optional(),
      card: z.looseObject({ id: z.string(), closed: z.boolean().optional() }).optional(),
    })
    .default({}),
});
type Action = z.infer<typeof action>;

/** A board as Trello's menu exports it, as far as it is read. */
const board = z.object({
  name: z.string(),
  lists: z.array(named.extend({ pos: z.number(), closed: z.boolean().default(false) })),
  cards: z.array(card),
  checklists: z
    .array(
      z.object({
        idCard: z.string(),
        pos: z.number().default(0),
        checkItems: z.array(z.object({ name: z.string(), state: z.string(), pos: z.number().default(0) })),
      }),
    )
    .default([]),
  labels: z.array(named.extend({ color: z.string().nullish() })).default([]),
  members: z.array(z.object({ id: z.string(), username: z.string() })).default([]),
  actions: z.array(action).default([]),
});
type Board = z.infer<typeof board>;

const maxActions = 1_000;

const groupBy = <Item>(items: Item[], keyOf: (item: Item) => string | undefined) => {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key !== undefined) groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
};

const byPosition = (a: { pos: number }, b: { pos: number }) => a.pos - b.pos;
/** When a card was made: the first 8 hex digits of its id are seconds. */
const madeAt = (id: string) => new Date(Number.parseInt(id.slice(0, 8), 16) * 1000).toISOString();

const indexOf = (exported: Board) => ({
  lists: new Map(exported.lists.map((list) => [list.id, list])),
  labels: new Map(exported.labels.map(({ id, name, color }) => [id, name.trim() || color || 'label'])),
  members: new Map(exported.members.map(({ id, username }) => [id, username])),
  checklists: groupBy(exported.checklists, ({ idCard }) => idCard),
  actions: groupBy(exported.actions.toReversed(), ({ data }) => data.card?.id),
});

const issueOf = (
  one: ExportedCard,
  place: Issue['place'],
  prefix: string,
  index: ReturnType<typeof indexOf>,
): Issue => {
  const list = index.lists.get(one.idList);
  const actions = index.actions.get(one.id) ?? [];
  const last = (matches: (each: Action) => boolean) => actions.findLast(matches)?.date;
  const lastActivity = inUtc(one.dateLastActivity) ?? madeAt(one.id);
  const archived = one.closed || (list?.closed ?? false);
  const archivedAt = inUtc(last(({ type, data }) => type === 'updateCard' && data.card?.closed === true));
  const completedAt = inUtc(last(({ type, data }) => type === 'updateCard' && data.card?.dueComplete === true));
  return {
    place,
    id: one.id,
    key: `${prefix}-${one.idShort}`,
    former: [],
    title: one.name,
    description: one.desc || null,
    status: list?.name ?? null,
    category: null,
    priority: null,
    due_date: inUtc(one.due),
    created_at: madeAt(one.id),
    updated_at: lastActivity,
    completed_at: one.dueComplete ? (completedAt ?? lastActivity) : null,
    archived_at: archived ? (archivedAt ?? lastActivity) : null,
    creator: actions.find(({ type }) => type === 'createCard')?.memberCreator?.username ?? null,
    assignees: one.idMembers.flatMap((id) => index.members.get(id) ?? []),
    labels: one.idLabels.flatMap((id) => index.labels.get(id) ?? []),
    comments: actions.flatMap(({ type, date: at, memberCreator, data }): Comment[] =>
      type === 'commentCard' && data.text
        ? [{ author: memberCreator?.username ?? null, at: inUtc(at), text: data.text }]
        : [],
    ),
    subtasks: (index.checklists.get(one.id) ?? [])
      .toSorted(byPosition)
      .flatMap(({ checkItems }) => checkItems.toSorted(byPosition))
      .map(({ name, state }) => ({ title: name, completed: state === 'complete' })),
    links: [],
  };
};

const countLeftOut = (one: ExportedCard, leftOut: LeftOut) => {
  for (const _ of one.attachments) leftOut.count('attachments', 'files are not in the export, only their addresses');
  for (const _ of one.customFieldItems) leftOut.count('custom fields', 'cards have no such field');
  if (one.start) leftOut.count('start', 'cards have no such field');
  if (one.cover && typeof one.cover === 'object' && 'idAttachment' in one.cover && one.cover.idAttachment) {
    leftOut.count('cover', 'files are not in the export, only their addresses');
  }
};

/**
 * A board of Trello. A card's number within its board gets a prefix, which is the user's to choose. Cards come from the
 * bottom of their lists to the top, as the last one that is made stands on top.
 * @throws CliError where the file is no such board
 */
export const openTrello = async (file: string, prefix: string, encoding: Encoding | undefined): Promise<Source> => {
  const exported = await readJson(board, file, 'a board of Trello as JSON', encoding);
  const index = indexOf(exported);
  return {
    name: exported.name,
    statuses: exported.lists.toSorted(byPosition).map(({ name }) => name),
    notes: [],
    async *read(leftOut: LeftOut): AsyncGenerator<Read> {
      if (exported.actions.length >= maxActions) {
        leftOut.count('older comments', 'an export has the last 1,000 actions of a board, and comments are among them');
      }
      for (const one of exported.cards.toSorted(byPosition).reverse()) {
        countLeftOut(one, leftOut);
        yield { issue: issueOf(one, { file: basename(file), line: exported.cards.indexOf(one) + 1 }, prefix, index) };
      }
    },
    close: async () => {},
  };
};
