import type { HttpOperation } from '@cardinal/contracts';
import type { Command } from 'commander';
import { isId, type Kind, kindOf } from '../names/kinds.ts';
import { type Input, inputsOf } from './options.ts';

const names: Record<Kind, string> = {
  board: 'Launch',
  column: 'To do',
  label: 'bug',
  workstream: 'WEB',
  card: 'PAY-7',
  user: 'me',
};

/** What stands for a parameter of a path in an example. */
export const sampleOf = ({ field, schema }: Input): string => {
  if (field === 'depends_on_card_id') return 'OPS-3';
  const kind = field === 'identifier' ? 'card' : kindOf(field);
  return kind ? names[kind] : String((schema.meta()?.examples as unknown[] | undefined)?.[0] ?? field);
};

// The examples of declarations have ids, where people say names.
const named = (field: string, value: unknown): unknown => {
  const kind = kindOf(field);
  if (kind && typeof value === 'string' && isId(value)) return names[kind];
  return kind && Array.isArray(value) ? value.map((one) => named(field, one)) : value;
};

const optionsOf = ({ name, shape, field }: Input, value: unknown): string[] => {
  if (shape.kind === 'flag') return [value ? `--${name}` : `--no-${name}`];
  const input = named(field, value);
  const texts = shape.isList ? [input].flat() : [input];
  return texts.flatMap((one) => [`--${name}`, typeof one === 'string' ? one : JSON.stringify(one, named)]);
};

/** What the example of a declaration is on the command line, behind the command's name. */
export const exampleArgs = (operation: HttpOperation, sample = sampleOf): string[] => {
  const example = (operation.example ?? {}) as Record<string, unknown>;
  return inputsOf(operation).flatMap((input) => {
    if (input.part === 'params')
      return input.stands === 'by place' ? [sample(input)] : [`--${input.name}`, sample(input)];
    return input.part === 'body' && input.field in example ? optionsOf(input, example[input.field]) : [];
  });
};

const quoted = (text: string) => (/^[\w.,:/@#+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** The same as one types it. */
export const exampleLine = (command: Command, operation: HttpOperation): string => {
  const path: string[] = [];
  for (let one: Command | null = command; one; one = one.parent) path.unshift(one.name());
  return [...path, ...exampleArgs(operation)].map(quoted).join(' ');
};
