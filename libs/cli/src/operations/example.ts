import type { HttpOperation } from '@cardinal/contracts';
import type { Command } from 'commander';
import { type Told, toldOf } from './options.ts';

const placeOf = ({ field, schema }: Told): string => {
  if (/card_id$|^identifier$/.test(field)) return 'PAY-7';
  if (field === 'user_id') return 'me';
  const names: Record<string, string> = {
    board_id: 'Launch',
    column_id: 'To do',
    label_id: 'bug',
    workstream_id: 'WEB',
  };
  return names[field] ?? String((schema.meta()?.examples as unknown[] | undefined)?.[0] ?? field);
};

const optionsOf = ({ name, shape }: Told, value: unknown): string[] => {
  if (shape.kind === 'flag') return [value ? `--${name}` : `--no-${name}`];
  const texts = shape.isList ? [value].flat() : [value];
  return texts.flatMap((one) => [`--${name}`, typeof one === 'string' ? one : JSON.stringify(one)]);
};

/** What the example of a declaration is on the command line, behind the command's name. */
export const exampleArgs = (operation: HttpOperation): string[] => {
  const all = toldOf(operation);
  const example = (operation.example ?? {}) as Record<string, unknown>;
  const said = all.flatMap((told) => {
    if (told.part === 'params') return told.stands === 'by place' ? [placeOf(told)] : [`--${told.name}`, placeOf(told)];
    return told.part === 'body' && told.field in example ? optionsOf(told, example[told.field]) : [];
  });
  return said;
};

const quoted = (text: string) => (/^[\w.,:/@#+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** The same as one types it. */
export const exampleLine = (command: Command, operation: HttpOperation): string => {
  const names: string[] = [];
  for (let one: Command | null = command; one; one = one.parent) names.unshift(one.name());
  return [...names, ...exampleArgs(operation)].map(quoted).join(' ');
};
