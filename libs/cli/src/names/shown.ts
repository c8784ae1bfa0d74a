import type { Directory } from './directory.ts';
import { isId, type ShownKind, shownField } from './kinds.ts';

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
