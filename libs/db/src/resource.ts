import { z } from 'zod';

/** What a column may hold where clients read a field: a moment for its text, any text for one of an enum's. */
type Stored<Field> = Field extends string ? string | Date : Field;

/** The columns of a row that make up a resource. */
type RowOf<Resource> = { [Name in keyof Omit<Resource, 'type'>]: Stored<Resource[Name]> };

/** A row as clients see it: the fields of its contract, moments in UTC with milliseconds. Other columns stay here. */
export const toResource = <Shape extends z.ZodRawShape>(
  { shape }: z.ZodObject<Shape>,
  row: RowOf<z.output<z.ZodObject<Shape>>>,
): z.output<z.ZodObject<Shape>> => {
  const columns: Record<string, unknown> = row;
  const fields = Object.entries(shape).map(([name, field]) => [
    name,
    field instanceof z.ZodLiteral ? field.value : jsonOf(columns[name]),
  ]);
  return Object.fromEntries(fields);
};

const jsonOf = (value: unknown) => (value instanceof Date ? value.toISOString() : value);
