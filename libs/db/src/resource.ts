import { z } from 'zod';

/** What a column may hold where clients read a field: a moment for its text, any text for one of an enum's. */
type Stored<Field> = Field extends string ? string | Date : Field;

/** The columns of a row that make up a resource. */
export type StoredAs<Resource> = { [Name in keyof Omit<Resource, 'type'>]: Stored<Resource[Name]> };

/**
 * Presents rows as clients see them: the fields of their contract in its order, moments in UTC with milliseconds. What
 * else a row has stays here.
 */
export const resourceOf = <Shape extends z.ZodRawShape>({ shape }: z.ZodObject<Shape>) => {
  type Resource = z.output<z.ZodObject<Shape>>;
  const fields = Object.entries(shape);
  return (row: StoredAs<Resource>): Resource => {
    const columns: Record<string, unknown> = row;
    const resource: Record<string, unknown> = {};
    for (const [name, field] of fields) {
      resource[name] = field instanceof z.ZodLiteral ? field.value : jsonOf(columns[name]);
    }
    return resource as Resource;
  };
};

const jsonOf = (value: unknown) => (value instanceof Date ? value.toISOString() : value);
