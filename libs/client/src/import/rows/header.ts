import { ImportError } from '../import-error.ts';

/**
 * Finds a column of the header by its name, white space around it aside.
 * @returns its place, from 0
 * @throws ImportError that names the columns there are
 */
export const columnAt = (header: string[], name: string): number => {
  const names = header.map((cell) => cell.trim());
  const at = names.indexOf(name.trim());
  if (at === -1) throw new ImportError(`no column "${name}"; the file has ${names.map((n) => `"${n}"`).join(', ')}`);
  if (names.indexOf(name.trim(), at + 1) !== -1) throw new ImportError(`the file has several columns "${name}"`);
  return at;
};
