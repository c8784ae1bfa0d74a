import type { Argument, Command, Option } from 'commander';

const choices = new WeakMap<Option, readonly string[]>();

/** Notes the values of an option for completion; checks and help have their own. */
export const suggest = (option: Option, values: readonly string[]): Option => {
  if (values.length > 0) choices.set(option, values);
  return option;
};

const lists = new WeakSet<Option>();

/** Notes that an option takes several values with commas between them. */
export const takesList = (option: Option): Option => {
  lists.add(option);
  return option;
};

/** The known values of an option. */
const suggested = (option: Option): readonly string[] => option.argChoices ?? choices.get(option) ?? [];

/** A word that completes the line, and its meaning. */
export interface Candidate {
  value: string;
  about?: string | undefined;
}

/** What is to be completed: one of these words, or what has a name of this kind (`board`, `file`). */
export interface Wanted {
  words: Candidate[];
  kind?: string | undefined;
  /** What has been typed of it. */
  begun: string;
  /** What each word has before it: `--board=`. */
  prefix: string;
  /** The options that were said, by long name. */
  said: Map<string, string>;
}

/** The command that runs where none of its own is named; commander has no public way to ask for it. */
const usual = (command: Command): Command[] => {
  const name = (command as unknown as { _defaultCommandName?: string | null })._defaultCommandName;
  return command.commands.filter((one) => one.name() === name);
};

const withParents = (command: Command): Command[] =>
  command.parent ? [command, ...withParents(command.parent)] : [command];

/** The options that count at a command: its own, those of the command that it stands for, those of the whole program. */
const optionsOf = (command: Command): Option[] => {
  const all = [...usual(command), ...withParents(command)].flatMap((one) => [...one.createHelp().visibleOptions(one)]);
  return all.filter((option, at) => all.findIndex(({ long }) => long === option.long) === at);
};

const placeholder = /[<[]([\w-]+)/;

/**
 * @param begun what has been typed of the value
 * @param prefix what stands before it in the word
 */
const ofOption = (option: Option, begun: string, prefix: string): Omit<Wanted, 'said'> => {
  const behind = lists.has(option) ? begun.lastIndexOf(',') + 1 : 0;
  return {
    words: suggested(option).map((value) => ({ value })),
    kind: placeholder.exec(option.flags)?.[1],
    begun: begun.slice(behind),
    prefix: prefix + begun.slice(0, behind),
  };
};

const ofArgument = (argument: Argument | undefined): Pick<Wanted, 'words' | 'kind'> =>
  argument === undefined
    ? { words: [] }
    : { words: (argument.argChoices ?? []).map((value) => ({ value })), kind: argument.name() };

const firstLine = (text: string) => text.split('\n', 1)[0];

/**
 * What may stand in the place of the last of these words.
 * @param words behind the program's name, the last one as far as it is typed
 */
export const wantedAt = (program: Command, words: readonly string[]): Wanted => {
  const said: Wanted['said'] = new Map();
  let command = program;
  let places = 0;
  let isOver = false;
  let open: Option | undefined;
  for (const word of words.slice(0, -1)) {
    if (open) {
      said.set(open.long ?? '', word);
      open = undefined;
    } else if (!isOver && word === '--') isOver = true;
    else if (!isOver && word.startsWith('-')) {
      const [name = '', value] = word.split(/=(.*)/s);
      const option = optionsOf(command).find(({ long, short }) => [long, short].includes(name));
      if (value !== undefined) said.set(name, value);
      else if (option?.required) open = option;
    } else {
      const next = places === 0 ? command.commands.find((one) => one.name() === word) : undefined;
      if (next) command = next;
      else places += 1;
    }
  }
  const last = words.at(-1) ?? '';
  if (open) return { ...ofOption(open, last, ''), said };
  const isOption = !isOver && last.startsWith('-');
  const [name = '', value] = last.split(/=(.*)/s);
  if (isOption && value !== undefined) {
    const option = optionsOf(command).find(({ long }) => long === name);
    const prefix = `${name}=`;
    return option ? { ...ofOption(option, value, prefix), said } : { words: [], begun: value, prefix, said };
  }
  if (isOption) {
    const options = optionsOf(command).map(({ long, short, description }) => ({
      value: long ?? short ?? '',
      about: firstLine(description),
    }));
    return { words: options, begun: last, prefix: '', said };
  }
  const help = command.createHelp();
  const commands = places > 0 ? [] : help.visibleCommands(command);
  const taking = command.registeredArguments.length > 0 ? command : (usual(command)[0] ?? command);
  const { registeredArguments: all } = taking;
  const argument = all[places] ?? (all.at(-1)?.variadic ? all.at(-1) : undefined);
  const { words: choices, kind } = ofArgument(argument);
  const own = commands.map((one) => ({ value: one.name(), about: firstLine(help.subcommandDescription(one)) }));
  return { words: [...own, ...choices], kind, begun: last, prefix: '', said };
};
