/** What has a name that stands for its id. */
export type Kind = 'board' | 'column' | 'label' | 'workstream' | 'card' | 'user';

const field = /(?:^|_)(board|column|label|workstream|card|user|person)_ids?$|^(?:add|remove)_(label|assignee)s$/;

/** Whose ids a field of the API holds; undefined for any other field. */
export const kindOf = (name: string): Kind | undefined => {
  const [, ofId, ofList] = field.exec(name) ?? [];
  const kind = ofId ?? ofList;
  return kind === 'assignee' || kind === 'person' ? 'user' : (kind as Kind | undefined);
};

/** Kinds whose ids are shown by their names. */
export type ShownKind = Exclude<Kind, 'card'>;

/** What a field of ids is called where names stand in it: `column` for `column_id`; undefined for any other field. */
export const shownField = (field: string): { kind: ShownKind; name: string } | undefined => {
  if (field === 'created_by') return { kind: 'user', name: field };
  const kind = kindOf(field);
  if (kind === undefined || kind === 'card') return undefined;
  return { kind, name: field.replace(/_id(s?)$/, '$1').replace(/(.)_user(s?)$/, '$1$2') };
};

/** Whether a text is an id, which goes through as it is. */
export const isId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

type Found = (kind: Kind, text: string) => Promise<string>;

/**
 * Puts what `find` answers in the place of every name in a value of a field, in lists and in members too.
 * @param isAccepted whether the API takes a text as it is
 */
export const withIds = async (
  name: string,
  value: unknown,
  find: Found,
  isAccepted: (text: string) => boolean = isId,
): Promise<unknown> => {
  if (typeof value === 'string') {
    const kind = kindOf(name);
    return kind === undefined || isAccepted(value) ? value : find(kind, value);
  }
  if (Array.isArray(value)) return Promise.all(value.map((one) => withIds(name, one, find, isAccepted)));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(async ([key, one]) => [key, await withIds(key, one, find)]);
  return Object.fromEntries(await Promise.all(members));
};
