import { basename, extname } from 'node:path';
import { readJson } from '../../files.ts';
import type { Comment, Issue, LeftOut, Read, Source } from '../issue.ts';
import type { Encoding } from './encoding.ts';
import { type TrelloAction, type TrelloBoard, type TrelloCard, trelloBoard } from './trello-board.ts';
import { countUntaken, type Reasons } from './untaken.ts';

const maxActions = 1_000;

const groupBy = <Item>(items: Item[], keyOf: (item: Item) => string | undefined) => {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
};

/** Comments, including those of a copied card. */
const takenComments = ['commentCard', 'copyCommentCard'];

const byPosition = (a: { pos: number }, b: { pos: number }) => a.pos - b.pos;
/** When a card was made: the first 8 hex digits of its id are seconds; null of an id of another form. */
const madeAt = (id: string) =>
  /^[0-9a-f]{24}$/i.test(id) ? new Date(Number.parseInt(id.slice(0, 8), 16) * 1000).toISOString() : null;

const labelName = ({ name, color }: { name: string; color: string }) => name.trim() || color || 'label';

const indexOf = (exported: TrelloBoard) => ({
  lists: new Map(exported.lists.map((list) => [list.id, list])),
  labels: new Map(exported.labels.map((label) => [label.id, labelName(label)])),
  members: new Map(exported.members.map(({ id, username, fullName }) => [id, username || fullName || id])),
  checklists: groupBy(exported.checklists, ({ idCard }) => idCard),
  actions: groupBy(exported.actions.toReversed(), ({ data }) => data?.card?.id),
});

const issueOf = (one: TrelloCard, place: Issue['place'], prefix: string, index: ReturnType<typeof indexOf>): Issue => {
  const list = index.lists.get(one.idList);
  const actions = index.actions.get(one.id) ?? [];
  const last = (matches: (each: TrelloAction) => boolean) => actions.findLast(matches)?.date ?? null;
  const lastActivity = one.dateLastActivity ?? madeAt(one.id);
  const archived = one.closed || (list?.closed ?? false);
  const archivedAt = last(({ type, data }) => type === 'updateCard' && data?.card?.closed === true);
  const completedAt = last(({ type, data }) => type === 'updateCard' && data?.card?.dueComplete === true);
  return {
    place,
    id: one.id || null,
    // A card of an old export may lack its number.
    key: one.idShort ? `${prefix}-${one.idShort}` : null,
    former: [],
    title: one.name,
    description: one.desc || null,
    status: list?.name ?? null,
    category: null,
    priority: null,
    due_date: one.due,
    created_at: madeAt(one.id),
    updated_at: lastActivity,
    completed_at: one.dueComplete ? (completedAt ?? lastActivity) : null,
    archived_at: archived ? (archivedAt ?? lastActivity) : null,
    creator: actions.find(({ type }) => type === 'createCard')?.memberCreator?.username || null,
    assignees: one.idMembers.map((id) => index.members.get(id) ?? id),
    labels: [...one.idLabels.flatMap((id) => index.labels.get(id) ?? []), ...one.labels.map(labelName)],
    comments: actions.flatMap(({ type, date: at, memberCreator, data }): Comment[] =>
      takenComments.includes(type) && data?.text
        ? [{ author: memberCreator?.username || null, at, text: data.text }]
        : [],
    ),
    subtasks: (index.checklists.get(one.id) ?? [])
      .toSorted(byPosition)
      .flatMap(({ checkItems }) => checkItems.toSorted(byPosition))
      .map(({ name, state }) => ({ title: name, completed: state === 'complete' })),
    links: [],
  };
};

const files = 'files are not in the export, only their addresses';
const reasons: Reasons = [
  [/^fullName$/, 'people are taken by their user names'],
  [/idMember/, 'only cards have people here, and nobody votes'],
  [/^(labels\.)?color$/, 'labels are gray at first'],
  [/^(attachments|cover|idAttachmentCover|manualCoverAttachment)\b/, files],
  [
    /(^|\.)(id[A-Z]\w*|id|nodeId|short\w*|url|descData|email|badges|cards?|list|board)$/,
    'an address or a count, or it is elsewhere already',
  ],
  [
    /^(dateLastActivity|dateLastView|dateViewedLast)$/,
    'Cardinal sets it itself; it dates completed and archived cards',
  ],
  [
    /^(prefs|memberships|labelNames|limits|powerUps|pluginData|premiumFeatures|subscribed|creationMethod\w*|starred|pinned)\b/,
    'it is of Trello alone',
  ],
];

const counted = (within: string, ...taken: string[]) => ({ taken: new Set(taken), reasons, within });
const ofCards = counted(
  '',
  'id',
  'idShort',
  'idList',
  'name',
  'desc',
  'due',
  'dueComplete',
  'closed',
  'pos',
  'idLabels',
  'labels.id',
  'labels.name',
  'labels.color',
  'idMembers',
);
const ofChecklists = counted('checklists', 'idCard', 'pos', 'checkItems.name', 'checkItems.state', 'checkItems.pos');
const ofLists = counted('lists', 'id', 'name', 'pos', 'closed');
const ofLabels = counted('labels', 'id', 'name');
const ofMembers = counted('members', 'id', 'username');
const ofBoard = counted('board', 'name', 'lists', 'cards', 'checklists', 'labels', 'members', 'actions');
const takenActions = [...takenComments, 'createCard'];

const countLeftOut = (exported: TrelloBoard, leftOut: LeftOut) => {
  if (exported.actions.length >= maxActions) {
    leftOut.count('older comments', 'an export has the last 1,000 actions of a board, and comments are among them');
  }
  const cards = new Set(exported.cards.map(({ id }) => id));
  const isGone = (id: string | undefined) => id === undefined || !cards.has(id);
  countUntaken(exported, ofBoard, leftOut);
  for (const list of exported.lists) countUntaken(list, ofLists, leftOut);
  for (const label of exported.labels)
    countUntaken(label.name.trim() === '' ? { ...label, color: '' } : label, ofLabels, leftOut);
  for (const { fullName, ...member } of exported.members) {
    countUntaken(member.username === '' ? member : { ...member, fullName }, ofMembers, leftOut);
  }
  for (const checklist of exported.checklists) {
    if (isGone(checklist.idCard)) leftOut.count('checklists', 'their cards are not in the file');
    else countUntaken(checklist, ofChecklists, leftOut);
  }
  for (const { type, data } of exported.actions) {
    if (!takenActions.includes(type))
      leftOut.count(
        `actions: ${type}`,
        'what happened before is not taken over, but dates of completion and archiving',
      );
    else if (isGone(data?.card?.id)) leftOut.count(`actions: ${type}`, 'their cards are not in the file');
  }
};

/** Lists of one name become one column. */
const notesOf = ({ lists }: TrelloBoard): string[] =>
  [...groupBy(lists, ({ name }) => name.trim())]
    .filter(([, same]) => same.length > 1)
    .map(([name, same]) => `${same.length} lists are called "${name}": their cards come into one column`);

/**
 * A board of Trello. The user chooses a prefix for the numbers of its cards. Cards are read from the
 * bottom of their lists to the top, since the last one that is created is on top.
 * @throws CliError if the file is not such a board
 */
export const openTrello = async (file: string, prefix: string, encoding: Encoding | undefined): Promise<Source> => {
  const exported = await readJson(trelloBoard, file, 'a board of Trello as JSON', encoding);
  const index = indexOf(exported);
  const places = new Map(exported.cards.map((one, n) => [one, n + 1]));
  return {
    name: exported.name.trim() || basename(file, extname(file)),
    statuses: exported.lists.toSorted(byPosition).map(({ name }) => name),
    notes: notesOf(exported),
    async *read(leftOut: LeftOut): AsyncGenerator<Read> {
      countLeftOut(exported, leftOut);
      for (const one of exported.cards.toSorted(byPosition).reverse()) {
        countUntaken(one, ofCards, leftOut);
        yield { issue: issueOf(one, { file: basename(file), line: places.get(one) ?? 0 }, prefix, index) };
      }
    },
    close: async () => {},
  };
};
