import type { Directory } from './directory.ts';
import { isId, type Kind, kindOf } from './kinds.ts';

/** Kinds whose ids are shown by their names. */
export type ShownKind = Exclude<Kind, 'card' | 'user'>;

/** What a field of ids is called where names stand in it: `column` for `column_id`; undefined for any other field. */
export const shownField = (field: string): { kind: ShownKind; name: string } | undefined => {
  const kind = kindOf(field);
  if (kind === undefined || kind === 'card' || kind === 'user') return undefined;
  return { kind, name: field.replace(/_id(s?)$/, '$1') };
};

/** A resource with names in the place of ids, for a person; what has no name that is found keeps its id. */
export const withNames = async (directory: Directory, item: object): Promise<object> => {
  const { board_id: board } = item as { board_id?: string };
  const named = async (kind: ShownKind, value: unknown) =>
    typeof value === 'string' && isId(value) ? ((await directory.nameOf(kind, value, board)) ?? value) : value;
  const fields = Object.entries(item).map(async ([field, value]) => {
    const shown = shownField(field);
    if (!shown) return [field, value];
    const { kind, name } = shown;
    return [
      name,
      await (Array.isArray(value) ? Promise.all(value.map((one) => named(kind, one))) : named(kind, value)),
    ];
  });
  return Object.fromEntries(await Promise.all(fields));
};
