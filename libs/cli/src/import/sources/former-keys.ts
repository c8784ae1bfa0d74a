import { extname } from 'node:path';
import { z } from 'zod';
import { CliError } from '../../errors.ts';
import { readJson } from '../../files.ts';
import type { Encoding } from './encoding.ts';
import { openTable, rowsBelow } from './table.ts';

/** The needed part of the answer of Jira's REST API to a search with `expand=changelog`. */
const search = z.object({
  issues: z.array(
    z.object({
      key: z.string(),
      changelog: z
        .object({
          histories: z.array(
            z.object({
              created: z.string(),
              items: z.array(z.object({ field: z.string(), fromString: z.string().nullish() })),
            }),
          ),
        })
        .optional(),
    }),
  ),
});

const ofSearch = async (file: string, encoding: Encoding | undefined) => {
  const what = "what Jira's REST API answers to a search";
  const answers = await readJson(search.array().or(search), file, what, encoding);
  const former = new Map<string, string[]>();
  for (const { issues } of [answers].flat()) {
    for (const { key, changelog } of issues) {
      const oldestFirst = (changelog?.histories ?? []).toSorted(
        (a, b) => Date.parse(a.created) - Date.parse(b.created),
      );
      const keys = oldestFirst.flatMap(({ items }) => items.filter(({ field }) => field === 'Key'));
      const earlier = keys.flatMap(({ fromString }) => (fromString ? [fromString] : []));
      if (earlier.length > 0) former.set(key.toUpperCase(), earlier);
    }
  }
  return former;
};

const ofTable = async (file: string, encoding: Encoding | undefined) => {
  const former = new Map<string, string[]>();
  const table = await openTable(file, encoding);
  for await (const { line, cells } of rowsBelow(table)) {
    const [key = '', ...earlier] = cells.map((cell) => cell.trim());
    const named = earlier.flatMap((cell) => cell.split(/[\s,;]+/)).filter(Boolean);
    if (key === '' || named.length === 0) throw new CliError(`${file}:${line}: a key and its former ones are needed`);
    former.set(key.toUpperCase(), [...(former.get(key.toUpperCase()) ?? []), ...named]);
  }
  return former;
};

/**
 * Reads earlier keys, oldest first, by the present key in upper case. The file is a table with a header, whose first
 * column has the key and the others its former ones (a key may have several rows), or one or an array of the answers of Jira's
 * REST API to `/search?expand=changelog`.
 * @throws CliError if it is neither
 */
export const readFormerKeys = (file: string, encoding?: Encoding): Promise<Map<string, string[]>> =>
  extname(file).toLowerCase() === '.json' ? ofSearch(file, encoding) : ofTable(file, encoding);
