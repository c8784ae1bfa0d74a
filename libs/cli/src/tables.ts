import { z } from 'zod';
import { kindOf, shownField } from './names/kinds.ts';

/** A line of a table, by heading. */
export type Row = Record<string, string | number>;

/** A column of a table: what it is called, and what of an item it shows. */
interface Column {
  heading: string;
  of(item: Record<string, unknown>): string;
  rank: number;
}

/** What one resource is called by, the best first. */
export const handles = ['identifier', 'prefix', 'name', 'title'];

const unwrapped = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault
    ? unwrapped(schema.unwrap() as z.ZodType)
    : schema;

const shapeOf = (schema: z.ZodType): Record<string, z.ZodType> => {
  const inner = unwrapped(schema);
  // The variants of an event have the same fields.
  if (inner instanceof z.ZodDiscriminatedUnion) return shapeOf(inner.options[0] as z.ZodType);
  return inner instanceof z.ZodObject ? (inner.shape as Record<string, z.ZodType>) : {};
};

/** A moment, in UTC. */
const moment = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}):\d{2}(?:\.\d+)?Z$/;

/** A value in as few characters as say it. */
export const brief = (value: unknown): string => {
  if (value === null || value === undefined || value === false) return '';
  if (value === true) return 'yes';
  if (typeof value === 'string') return value.replace(moment, '$1 $2');
  if (Array.isArray(value)) return value.map(brief).join(', ');
  if (typeof value !== 'object') return String(value);
  const handle = [...handles, 'message', 'user_id', 'id'].find((name) => name in value);
  return handle ? brief((value as Record<string, unknown>)[handle]) : JSON.stringify(value);
};

/** Whether a program's user names such a resource by something else than its id. */
const isNamed = (shape: Record<string, z.ZodType>): boolean => {
  const { type } = shape;
  const kind = type instanceof z.ZodLiteral ? String(type.value) : '';
  return 'identifier' in shape || (kindOf(`${kind}_id`) !== undefined && handles.some((name) => name in shape));
};

const left = new Set(['type', 'version', 'position', 'updated_at', 'description', 'data', 'previous', 'request_id']);

/** Where a field stands among the columns: what it is called by first, then what is short, then times; none for the rest. */
const rankOf = (field: string, shape: Record<string, z.ZodType>): number | undefined => {
  const hasHandle = Object.keys(shape).some((name) => handles.includes(name));
  if (field === 'id') return isNamed(shape) || shape.seq ? undefined : 0;
  if (['identifier', 'prefix', 'seq', 'requested', 'card'].includes(field)) return 0;
  if (field === 'type' && !(shape.type instanceof z.ZodLiteral)) return 1;
  if (['name', 'title'].includes(field) || (field === 'body' && !hasHandle)) return 1;
  if (left.has(field) || (field === 'workstream' && shape.identifier)) return undefined;
  if (field === 'created_by') return 'body' in shape ? 2 : undefined;
  if (field === 'user_id' && shape.email) return 6;
  if (shownField(field)) return ['column_id', 'user_id'].includes(field) ? 2 : 4;
  if (/_ids?$|_by$/.test(field)) return hasHandle || shape.id ? undefined : 2;
  if (shapeOf(shape[field] as z.ZodType).id && !handles.some((name) => name in shapeOf(shape[field] as z.ZodType)))
    return undefined;
  return field === 'created_at' ? 5 : /_at$/.test(field) ? 4 : 3;
};

/** The columns in which items of a schema, with names for ids (`withNames`), are shown to a person: the most telling first. */
export const columnsOf = (schema: z.ZodType): Column[] => {
  const shape = shapeOf(schema);
  const own = Object.entries(shape).flatMap(([field, of]): Column[] => {
    const rank = rankOf(field, shape);
    if (rank === undefined) return [];
    const name = shownField(field)?.name ?? field;
    const column = {
      heading: name.replaceAll('_', ' '),
      of: (item: Record<string, unknown>) => brief(name in item ? item[name] : item[field]),
      rank,
    };
    const hasTitle = 'title' in shapeOf(of) && !('title' in shape);
    const title = (item: Record<string, unknown>) => brief((item[field] as { title?: string } | null)?.title);
    return hasTitle ? [column, { heading: 'title', of: title, rank: 1 }] : [column];
  });
  return own.sort((a, b) => a.rank - b.rank);
};

/** Of a text that is cut at least so much is to be seen; no id is cut. */
export const leastText = 36;

/** Items as rows of as many columns as fit into a line; what is empty or 0 in all of them is left out. */
export const rowsOf = (
  items: readonly object[],
  columns: readonly Column[],
  { width, widthOf }: { width: number; widthOf: (text: string) => number },
): Row[] => {
  let used = 0;
  const shown = columns.flatMap(({ heading, of }) => {
    const cells = items.map((item) => of(item as Record<string, unknown>));
    if (cells.every((cell) => cell === '' || cell === '0')) return [];
    const widest = Math.max(widthOf(heading), ...cells.map(widthOf));
    const takes = Math.min(widest, Math.max(leastText, widthOf(heading))) + (used === 0 ? 0 : 2);
    if (used + takes > width) return [];
    used += takes;
    return [{ heading, cells }];
  });
  return items.map((_, at) => Object.fromEntries(shown.map(({ heading, cells }) => [heading, cells[at] ?? ''])));
};
