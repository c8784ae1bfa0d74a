import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { HttpOperation } from '@cardinal/contracts';
import { type Call, callOf } from '@cardinal/mcp/calls';
import type { z } from 'zod';
import { UsageError } from '../errors.ts';
import type { Directory, Scope } from '../names/directory.ts';
import { isId, type Kind, withIds } from '../names/kinds.ts';
import { readInput } from './input.ts';
import { type Input, spoken } from './options.ts';
import { objectionTo, parseJson } from './values.ts';

/** A body that was said as a whole: JSON, a file of it, or `-` for standard input. @throws UsageError for no object */
export const readBody = async (given: string, directory: string): Promise<Record<string, unknown>> => {
  const isJson = /^\s*[{["]/.test(given);
  const json = isJson
    ? given
    : await (given === '-' ? readInput('--body') : readFile(resolve(directory, given), 'utf8'));
  const body = parseJson('--body', json);
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  throw new UsageError('--body: must be a JSON object');
};

/** Whether the API takes a text as it is: an id, `none`, `me`. */
const isAccepted = (schema: z.ZodType) => (text: string) =>
  isId(text) || schema.safeParse(text).success || schema.safeParse([text]).success;

const anId = '00000000-0000-4000-8000-000000000000';

/**
 * Says what is wrong with a call before anything is sent; a name passes for an id.
 * @throws UsageError with the first thing
 */
const check = async (
  { body: schema }: HttpOperation,
  all: readonly Input[],
  given: readonly (readonly [Input, unknown])[],
  body: Record<string, unknown>,
): Promise<void> => {
  for (const [input, value] of given) {
    if (input.part === 'body') continue;
    const asIds = await withIds(input.field, value, async () => anId, isAccepted(input.schema));
    const objection = objectionTo(input.schema, asIds);
    if (objection) throw new UsageError(`${spoken(input)}: ${objection.message}`);
  }
  if (!schema) return;
  const stood: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(body)) stood[field] = await withIds(field, value, async () => anId);
  const objection = objectionTo(schema, stood);
  if (!objection) return;
  const { path, message } = objection;
  const [field, ...within] = path;
  if (field === undefined) throw new UsageError(`${message}; --help lists the fields`);
  const input = all.find((one) => one.part === 'body' && one.field === field);
  const place = [input ? spoken(input) : String(field), ...within].join('.');
  if (within.length === 0 && stood[String(field)] === undefined) throw new UsageError(`${place} is missing`);
  throw new UsageError(`${place}: ${message}`);
};

/** Where columns of a call are looked for: on the boards that it names, or on its card's. */
const scopeOf = async (
  directory: Directory,
  given: readonly (readonly [Input, unknown])[],
  board: string | undefined,
): Promise<Scope> => {
  const named = given
    .filter(([{ field, part }]) => field === 'board_id' && part !== 'body')
    .flatMap(([, value]) => value);
  const texts = board === undefined ? (named as string[]) : [board];
  if (texts.length > 0) return { boards: await Promise.all(texts.map((one) => directory.idOf('board', one))) };
  const card = given.find(([{ field, part }]) => field === 'card_id' && part === 'params')?.[1];
  return card === undefined ? {} : { card: card as string };
};

/** What was typed. */
interface Typed {
  /** The arguments that the command has, and those that were said. */
  all: readonly Input[];
  given: readonly (readonly [Input, unknown])[];
  /** Of `--body`. */
  whole: Record<string, unknown>;
  /** Of `--board` where the operation has none: where its column is looked for. */
  board: string | undefined;
}

/** The column of a path that may be left out: the first of the board. */
const withColumn = async (directory: Directory, { all, given, board }: Typed): Promise<Typed['given']> => {
  const column = all.find(
    ({ field, part, stands }) => field === 'column_id' && part === 'params' && stands !== 'by place',
  );
  if (!column || given.some(([input]) => input === column)) return given;
  if (board === undefined) throw new UsageError('say --board BOARD, or --column COLUMN, where the card is to be');
  return [...given, [column, await directory.firstColumn(await directory.idOf('board', board))]];
};

/**
 * The call that was typed: checked, and with ids in the place of names.
 * @throws UsageError for what is wrong with it
 */
export const prepareCall = async (directory: Directory, operation: HttpOperation, typed: Typed): Promise<Call> => {
  const { all, whole, board } = typed;
  const said = callOf(operation, typed.given).body as object | undefined;
  await check(operation, all, typed.given, { ...whole, ...said });
  const given = await withColumn(directory, typed);
  const needsScope = given.some(([{ field }]) => field === 'column_id');
  const scope = needsScope ? await scopeOf(directory, given, board) : {};
  const find = (kind: Kind, name: string) => directory.idOf(kind, name, scope);
  const resolved: [Input, unknown][] = [];
  for (const [input, value] of given) {
    resolved.push([input, await withIds(input.field, value, find, isAccepted(input.schema))]);
  }
  const call = callOf(operation, resolved);
  if (!operation.body) return call;
  const rest = (await withIds('body', whole, find)) as Record<string, unknown>;
  return { ...call, body: { ...rest, ...(call.body as object) } };
};
