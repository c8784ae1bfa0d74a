import type { HttpOperation } from '@cardinal/contracts';
import { type Argument, argumentsIn } from '@cardinal/mcp/calls';
import { type Command, Option, Argument as Positional } from 'commander';
import type { z } from 'zod';
import { suggest } from '../completion/words.ts';
import { kindOf } from '../names/kinds.ts';
import { readValue, type Shape, shapeOf } from './values.ts';

/** Options of the whole program; a field of the same name has its resource before it, as in `--webhook-url`. */
const ofProgram = ['url', 'token', 'json', 'help', 'profile'];

/** How an argument of an operation is given on the command line. */
export interface Input extends Argument {
  /** Without dashes. */
  name: string;
  shape: Shape;
  /** Whether it stands by its place; what has one of the two may also be an option. */
  stands: 'by place' | 'as option' | 'either';
}

const nameOf = ({ field, part }: Argument, { tag }: HttpOperation): string => {
  if (part === 'key') return 'idempotency-key';
  const name = field
    .replace(/_ids?$/, '')
    .replace(/(.)_user$/, '$1')
    .replaceAll('_', '-');
  return part !== 'params' && ofProgram.includes(name) ? `${tag.toLowerCase().replace(/s$/, '')}-${name}` : name;
};

/** What stands differently from what its declaration says: parameters that may be options, fields that may have a place. */
const either: Readonly<Record<string, readonly string[]>> = {
  createCard: ['title'],
  transferCard: ['workstream_id'],
};
const asOption: Readonly<Record<string, readonly string[]>> = {
  createCard: ['column_id'],
  listCards: ['board_id'],
};

/** The arguments of an operation as the command line takes them; pages are followed, so nobody names their bounds. */
export const inputsOf = (operation: HttpOperation): Input[] => {
  const isPage = operation.reply.kind === 'page';
  return argumentsIn(operation)
    .filter(({ part, field }) => !(isPage && part === 'query' && ['limit', 'cursor'].includes(field)))
    .map((argument) => {
      const { field, part, schema } = argument;
      const isParam = part === 'params' && !asOption[operation.id]?.includes(field);
      const stands = either[operation.id]?.includes(field) ? 'either' : isParam ? 'by place' : 'as option';
      return { ...argument, name: nameOf(argument, operation), shape: shapeOf(schema), stands };
    });
};

/** What to call an argument in an error. */
export const spoken = ({ name, stands }: Input): string => (stands === 'by place' ? `<${name}>` : `--${name}`);

const placeholder = ({ field, shape, name }: Input): string => {
  const kind = kindOf(field);
  if (kind) return kind;
  if (shape.kind === 'json') return 'json';
  if (shape.kind === 'number') return 'n';
  return /_(before|after|date|at)$/.test(`_${name}`.replaceAll('-', '_')) ? 'time' : 'text';
};

const maxChoices = 8;

/** What is said of a schema, or of what it may be left out or null of. */
const saidOf = (schema: z.ZodType): string =>
  schema.description ?? ('unwrap' in schema ? saidOf((schema as z.ZodOptional<z.ZodType>).unwrap()) : '');

/** What may be said in the place of an id. */
const namedBy: Record<NonNullable<ReturnType<typeof kindOf>>, string> = {
  board: 'name or id',
  column: 'name or id',
  label: 'name or id',
  workstream: 'prefix, name or id',
  card: 'identifier or id',
  user: 'e-mail, name, me or id',
};

const describe = ({ schema, shape, part, stands, field }: Input): string => {
  const said = saidOf(schema)
    .replace(/\.$/, '')
    .replace(/^Id of the /, 'The ');
  const kind = kindOf(field);
  const notes = [
    kind && !/\bor an identifier\b/.test(said) && namedBy[kind],
    shape.isRequired && part === 'body' && stands === 'as option' && 'required',
    shape.choices.length > 0 && shape.choices.length <= maxChoices && shape.choices.join(', '),
    shape.isList && 'repeatable',
    shape.isNullable && !/\bnull\b/.test(said) && 'null for none',
  ].filter(Boolean);
  return notes.length > 0 ? `${said} (${notes.join('; ')})` : said;
};

/** Gathers the values of an option that may be given several times. */
export const collect = (text: string, former: string[] = []) => [...former, text];

const optionsOf = (input: Input): Option[] => {
  const { name, shape } = input;
  if (shape.kind === 'flag') {
    const no = new Option(`--no-${name}`).hideHelp();
    const others = shape.choices.map((choice) => new Option(`--${choice}-${name}`, `${name}: ${choice}`));
    return [new Option(`--${name}`, `${describe(input)} (--no-${name}: the opposite)`), no, ...others];
  }
  const option = suggest(new Option(`--${name} <${placeholder(input)}>`, describe(input)), shape.choices);
  return [shape.isList ? option.argParser(collect) : option];
};

/** Declares what a command takes. */
export const declare = (command: Command, all: readonly Input[]): void => {
  for (const input of all) {
    const { name, stands } = input;
    if (stands !== 'as option') {
      command.addArgument(new Positional(stands === 'by place' ? `<${name}>` : `[${name}]`, describe(input)));
    }
    if (stands !== 'by place') for (const option of optionsOf(input)) command.addOption(option);
  }
};

const attribute = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** What was said of each argument, as values. @throws UsageError for what cannot be one */
export const valuesOf = (all: readonly Input[], places: readonly unknown[], options: object): [Input, unknown][] => {
  const left = [...places];
  return all.flatMap((input): [Input, unknown][] => {
    const place = input.stands === 'as option' ? undefined : left.shift();
    const option = (name: string) =>
      input.stands === 'by place' ? undefined : (options as Record<string, unknown>)[attribute(name)];
    const { kind, choices } = input.shape;
    const other = kind === 'flag' ? choices.find((choice) => option(`${choice}-${input.name}`)) : undefined;
    const given = other ?? option(input.name) ?? place;
    return given === undefined ? [] : [[input, readValue(spoken(input), input.shape, given)]];
  });
};
