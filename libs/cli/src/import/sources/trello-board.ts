import { z } from 'zod';
import { inUtc } from './dates.ts';

// Fields that are not needed may be absent, null, or of another version: they count as absent.

const moment = z
  .string()
  .nullish()
  .transform((text) => {
    const { success } = z.iso.datetime({ offset: true }).safeParse(text);
    return success ? inUtc(text) : null;
  });
const some = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .nullish()
    .transform((all) => all ?? []);
const words = z
  .string()
  .nullish()
  .transform((text) => text ?? '');
const yes = z
  .boolean()
  .nullish()
  .transform((said) => said ?? false);
/** A position; without one the order of the file stays. */
const pos = z
  .unknown()
  .optional()
  .transform((said) => (typeof said === 'number' ? said : 0));
const label = z.looseObject({ id: words, name: words, color: words });

const card = z.looseObject({
  id: words,
  idShort: z.int().min(1).nullish(),
  idList: words,
  name: words,
  desc: words,
  due: moment,
  dueComplete: yes,
  dateLastActivity: moment,
  closed: yes,
  pos,
  idLabels: some(z.string()),
  labels: some(label),
  idMembers: some(z.string()),
});
export type TrelloCard = z.infer<typeof card>;

const action = z.looseObject({
  type: words,
  date: moment,
  memberCreator: z.looseObject({ username: words }).nullish(),
  data: z
    .looseObject({ text: words, card: z.looseObject({ id: words, closed: yes, dueComplete: yes }).nullish() })
    .nullish(),
});
export type TrelloAction = z.infer<typeof action>;

/** The needed part of a board that Trello's menu exports. */
export const trelloBoard = z.looseObject({
  name: words,
  lists: some(z.looseObject({ id: z.string(), name: words, pos, closed: yes })),
  cards: z.array(card),
  checklists: some(
    z.looseObject({
      idCard: words,
      pos,
      checkItems: some(z.looseObject({ name: words, state: words, pos })),
    }),
  ),
  labels: some(label),
  members: some(z.looseObject({ id: words, username: words, fullName: words })),
  actions: some(action),
});
export type TrelloBoard = z.infer<typeof trelloBoard>;
