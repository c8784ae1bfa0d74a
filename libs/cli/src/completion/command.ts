import { Argument, type Command } from 'commander';
import type { Session } from '../session.ts';
import { readBashLine, writeBashWord } from './bash.ts';
import { scripts } from './scripts.ts';
import { wantedAt } from './words.ts';

type Shell = keyof typeof scripts;
const shells = Object.keys(scripts) as Shell[];

/** Kinds of arguments that are files. */
const files = ['file', 'files', 'folder'];

/** The words of a line, and how what completes the last one is written in it. */
const readLine = (shell: Shell, given: readonly string[]) => {
  if (shell !== 'bash') return { words: given, written: (text: string) => text };
  const [line = '', replaced = ''] = given;
  const { words, quote, kept } = readBashLine(line, replaced);
  return { words, written: (text: string) => writeBashWord(text.slice(kept), quote) };
};

/**
 * Prints what may stand in the place of the last word, a line each; `:files` stands for the files that are there.
 * @param given the words; of bash the line up to the cursor, and what of it is replaced
 */
const complete = async (program: Command, session: Session, shell: Shell, given: readonly string[]) => {
  const { words, written } = readLine(shell, given);
  const wanted = wantedAt(program, words);
  const isName = wanted.kind !== undefined && !files.includes(wanted.kind) && wanted.words.length === 0;
  // An error message would disturb the line that is being typed.
  const names = isName
    ? await import('./names.ts').then(({ namesOf }) => namesOf(session, wanted)).catch(() => [])
    : [];
  const begun = wanted.begun.toLowerCase();
  for (const { value, about } of [...wanted.words, ...names]) {
    if (!value.toLowerCase().startsWith(begun)) continue;
    const line = [written(`${wanted.prefix}${value}`), about].filter(Boolean).join('\t');
    console.log(line.replaceAll('\n', ' '));
  }
  if (wanted.kind !== undefined && files.includes(wanted.kind)) console.log(':files');
};

const shell = () => new Argument('<shell>', 'whose script').choices(shells);

/** `cardinal completion`, and what its scripts ask. */
export const addCompletion = (program: Command, session: Session): void => {
  program
    .command('completion')
    .summary('Print what has a shell complete command lines')
    .description('Prints what has a shell complete command lines: source <(cardinal completion bash)')
    .addArgument(shell())
    .action((name: Shell) => console.log(scripts[name].trimEnd()));
  program
    .command('complete', { hidden: true })
    .addArgument(shell())
    .argument('[words...]')
    .action((name: Shell, words: string[]) => complete(program, session, name, words));
};
