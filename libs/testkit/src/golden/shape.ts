/** The names and kinds of everything in a JSON value, without what it says; for comparing a stand-in with the real one. */
export const shape = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shape);
  if (value === null || typeof value !== 'object') return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, part === null ? 'null' : shape(part)]));
};
