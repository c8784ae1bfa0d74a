import { Argument, type Command } from 'commander';
import type { Session } from '../session.ts';
import { scripts } from './scripts.ts';
import { wantedAt } from './words.ts';

type Shell = keyof typeof scripts;
const shells = Object.keys(scripts) as Shell[];

/** Kinds of arguments that are files. */
const files = ['file', 'files', 'folder'];

/** Words as they stand in a line of bash, which breaks `--board=x` into three, without their quotes. */
const ofBash = (words: readonly string[]): string[] => {
  const whole = words.filter((word, at) => word !== '=' || at === words.length - 1);
  return whole.map((word) => (word === '=' ? '' : word.replaceAll(/\\(.)|["']/gs, '$1')));
};

/** Prints what may stand in the place of the last word, a line each; `:files` stands for the files that are there. */
const complete = async (program: Command, session: Session, shell: Shell, given: readonly string[]) => {
  const wanted = wantedAt(program, shell === 'bash' ? ofBash(given) : given);
  const isName = wanted.kind !== undefined && !files.includes(wanted.kind) && wanted.words.length === 0;
  // An error message would disturb the line that is being typed.
  const names = isName
    ? await import('./names.ts').then(({ namesOf }) => namesOf(session, wanted)).catch(() => [])
    : [];
  const begun = wanted.begun.toLowerCase();
  for (const { value, about } of [...wanted.words, ...names]) {
    if (!value.toLowerCase().startsWith(begun)) continue;
    const line = [`${wanted.prefix}${value}`, about].filter(Boolean).join('\t');
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
