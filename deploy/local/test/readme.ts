import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '@cardinal/servers';
import { expect } from 'vitest';

/** A block of a document: what is fenced, and the language that its fence names. */
interface Block {
  language: string;
  text: string;
}

/** A document's text. Of an OpenAPI document it is the description. */
const textOf = (file: string): string => {
  const text = readFileSync(join(repository, file), 'utf8');
  return file.endsWith('.json') ? JSON.parse(text).info.description : text;
};

/**
 * The blocks of a chapter of a document, in order.
 * @param file its path, from the root
 * @param changes what stands there, and what stands for it in this test
 * @throws Error where the chapter is not there
 */
export const blocksOf = (file: string, heading: string, changes: Record<string, string>): Block[] => {
  const [, chapter] = textOf(file).split(`\n## ${heading}\n`);
  if (chapter === undefined) throw new Error(`${file} has no chapter "${heading}"`);
  const [own = ''] = chapter.split(/\n## /);
  const changed = Object.entries(changes).reduce((text, [from, to]) => text.replaceAll(from, to), own);
  return [...changed.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({
    language,
    text,
  }));
};

/** The commands of a block that shows a terminal, each with what it prints. */
export const commandsOf = ({ text }: Block): { command: string; printed: string }[] =>
  text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command = ''] = /^(?:.*\\\n)*.*\n/.exec(part) ?? [];
      return { command, printed: part.slice(command.length) };
    });

const times: [RegExp, string][] = [
  [/\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?/g, 'DATE$1'],
  [/DATE:\d\d/g, 'DATE with seconds'],
  [/\d+\.\d s$/gm, 'N s'],
];
const masked = (text: string) => times.reduce((all, [time, word]) => all.replace(time, word), text).trimEnd();

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Holds what was printed to what the document says, in which `…` stands for anything, dates and times aside. */
export const expectPrinted = (printed: string, said: string): void => {
  const pattern = masked(said).split('…').map(escaped).join('[\\s\\S]*');
  expect(masked(printed)).toMatch(new RegExp(`^${pattern}$`));
};
