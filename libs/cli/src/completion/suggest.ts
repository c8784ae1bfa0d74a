import type { Option } from 'commander';

const choices = new WeakMap<Option, readonly string[]>();

/** Notes what an option may be, for who completes it; what checks it is something else, and so is what help says. */
export const suggest = (option: Option, values: readonly string[]): Option => {
  if (values.length > 0) choices.set(option, values);
  return option;
};

/** What an option may be, as far as it is known. */
export const suggested = (option: Option): readonly string[] => option.argChoices ?? choices.get(option) ?? [];
