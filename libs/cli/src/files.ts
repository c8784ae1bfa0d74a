import { z } from 'zod';
import { CliError } from './errors.ts';
import { type Encoding, encodingOf, textOf } from './import/sources/encoding.ts';

/** Says of a file of the user's why it cannot be read. */
export const unreadable = (file: string, error: unknown): CliError =>
  new CliError(`cannot read ${file}: ${(error as Error).message}`, { cause: error });

const textIn = async (file: string, said?: Encoding): Promise<string> => {
  let whole = '';
  for await (const text of textOf(file, await encodingOf(file, said))) whole += text;
  return whole;
};

/** A text file of the user's; undefined where there is none. @throws CliError where it cannot be read */
export const readIfThere = async (file: string): Promise<string | undefined> => {
  try {
    return await textIn(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error instanceof CliError ? error : unreadable(file, error);
  }
};

/**
 * What is in a file of JSON.
 * @param what it is to be
 * @throws CliError, in one line, where it is something else
 */
export const parseFile = <Value>(schema: z.ZodType<Value>, text: string, file: string, what: string): Value => {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw unreadable(file, error);
  }
  const { success, data, error } = schema.safeParse(json);
  if (success) return data;
  throw new CliError(
    `${file} is not ${what}: ${z
      .prettifyError(error)
      .replaceAll(/\s*\n\s*/g, ' ')
      .slice(0, 300)}`,
  );
};

/**
 * Reads a file of JSON.
 * @param said the encoding that the user names
 * @throws CliError, in one line, where there is none, or something else
 */
export const readJson = async <Value>(
  schema: z.ZodType<Value>,
  file: string,
  what: string,
  said?: Encoding,
): Promise<Value> => {
  const text = await textIn(file, said).catch((error: unknown) => {
    throw error instanceof CliError ? error : unreadable(file, error);
  });
  return parseFile(schema, text, file, what);
};
