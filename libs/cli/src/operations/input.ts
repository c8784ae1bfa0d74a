import { text } from 'node:stream/consumers';
import { UsageError } from '../errors.ts';
import { kindOf } from '../names/kinds.ts';
import { type Input, spoken } from './options.ts';

/** What is piped in. @param label of the option that says so @throws UsageError where nothing is */
export const readInput = (label: string): Promise<string> => {
  if (process.stdin.isTTY) throw new UsageError(`${label} -: pipe it in`);
  return text(process.stdin);
};

/** The same as the value of a text: without the end of its last line, which the pipe put there. */
const readText = async (label: string): Promise<string> => (await readInput(label)).replace(/\r?\n$/, '');

/** Whether a value may be any text, so that `-` is standard input; not so a name, an id or one of some words. */
const isText = ({ field, part, shape }: Input): boolean =>
  ['body', 'query'].includes(part) &&
  shape.kind === 'text' &&
  !shape.isList &&
  shape.choices.length === 0 &&
  kindOf(field) === undefined;

/**
 * Values with standard input in the place of `-`.
 * @param isTaken whether the body is read from it already
 * @throws UsageError where two are
 */
export const withInput = async (given: readonly [Input, unknown][], isTaken: boolean): Promise<[Input, unknown][]> => {
  const piped = given.filter(([input, value]) => value === '-' && isText(input)).map(([input]) => spoken(input));
  if (piped.length + Number(isTaken) > 1) throw new UsageError(`${piped.at(-1)} -: standard input is read once`);
  const [label] = piped;
  if (label === undefined) return [...given];
  const read = await readText(label);
  return given.map(([input, value]) => [input, spoken(input) === label ? read : value]);
};

/** The same of fields of any request, `-f name=-`. */
export const fieldsWithInput = async (
  fields: readonly [name: string, value: string][],
  isTaken: boolean,
): Promise<[name: string, value: string][]> => {
  const piped = fields.filter(([, value]) => value === '-').map(([name]) => `-f ${name}=`);
  if (piped.length + Number(isTaken) > 1) throw new UsageError(`${piped.at(-1)}-: standard input is read once`);
  const [label] = piped;
  if (label === undefined) return [...fields];
  const read = await readText(label);
  return fields.map(([name, value]) => [name, value === '-' ? read : value]);
};
