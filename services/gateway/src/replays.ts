import type { z } from 'zod';

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** A value with its members in the order of another value; members that the other lacks come last. */
const inOrderOf = (model: unknown, value: unknown): unknown => {
  if (!isObject(value) || !isObject(model)) return value;
  if (Array.isArray(value)) return value.map((one, at) => inOrderOf(model[at], one));
  const names = new Set([...Object.keys(model).filter((name) => Object.hasOwn(value, name)), ...Object.keys(value)]);
  return Object.fromEntries([...names].map((name) => [name, inOrderOf(model[name], value[name])]));
};

/**
 * A stored answer as it was sent first, byte for byte (CONTRACT 3.4). Owners store answers as `jsonb`, which loses the order
 * of members; the contract restores it.
 * @param body the contract of the body of the response
 * @param text the stored resource as JSON
 */
export const asFirstSent = (body: z.ZodType, text: string): string => {
  const stored: unknown = { data: JSON.parse(text) };
  const { data: model } = body.safeParse(stored);
  return JSON.stringify((inOrderOf(model, stored) as { data: unknown }).data);
};
