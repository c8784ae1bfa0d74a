import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { checks } from './checks/index.ts';
import type { History } from './history.ts';
import { failure, figures, type Verdict } from './report.ts';
import { shrink } from './shrink.ts';

/** Writes a history to a file, from which it can be judged again. */
export const writeHistory = (file: string, history: History) => {
  mkdirSync(dirname(resolve(file)), { recursive: true });
  writeFileSync(file, JSON.stringify(history));
};

/** Reads a history from a file. @throws Error that says what is wrong with the file */
export const readHistory = (file: string): History => {
  try {
    const history = JSON.parse(readFileSync(file, 'utf8')) as Partial<History>;
    if (Array.isArray(history.exchanges) && Array.isArray(history.faults))
      return { follows: [], ...history } as History;
  } catch (error) {
    throw new Error(`${file} cannot be read: ${(error as Error).message}`);
  }
  throw new Error(`${file} holds no history`);
};

/**
 * Prints the result of a run. For each broken rule it prints the shortest history that shows it, and writes that history
 * to a file.
 * @param folder the folder for these files
 * @param again the command that repeats the run, if there is one
 * @returns whether every rule held
 */
export const showOutcome = (
  history: History,
  verdicts: readonly Verdict[],
  folder: string,
  again?: string,
): boolean => {
  const show = (text: string) => process.stdout.write(`${text}\n`);
  show(figures(history, verdicts));
  const broken = verdicts.filter(({ violations }) => violations.length > 0);
  broken.forEach(({ rule, violations: [violation] }, at) => {
    if (!violation) return;
    const check = checks.find((one) => one.rule === rule);
    const shown = check ? shrink(history, check) : { ...history, exchanges: [] };
    const file = resolve(folder, `broken-${at + 1}.json`);
    if (check) writeHistory(file, shown);
    const commands = [...(check ? [`npm run chaos -- judge ${file}`] : []), ...(again ? [again] : [])];
    show(`\n${failure(rule, violation, shown, commands)}`);
  });
  return broken.length === 0;
};
