import { readFile, writeFile } from 'node:fs/promises';
import type { CardinalClient } from '@cardinal/client/source';
import type { Occurrence } from '@cardinal/contracts';
import { git } from '../git.ts';
import { reasonOf, resolveCandidates, type Target } from '../refs/resolve.ts';
import { readMessage, referencesInMessage, rewriteMessage } from './message.ts';

/** What a hook does with the message of a commit. */
export interface HookOptions {
  anyCase: boolean;
  /** Write today's identifiers in place of former ones. */
  rewrite: boolean;
}

/** What begins a comment in messages. Git's own word for it where the configuration has none. */
const commentMark = async (): Promise<string> => {
  const settings = await git(['config', '--get-regexp', '^core\\.comment(char|string)$']).catch(() => '');
  const last = settings.split('\n').at(-1) ?? '';
  return last.slice(last.indexOf(' ') + 1) || '#';
};

/**
 * Checks where the references of a commit message lead. Sends no request where it has none.
 * @param file the message, which is written anew where `rewrite` changes it
 * @returns the lines to show to the author of the commit
 * @throws CardinalError, or an error of the file system
 */
export const checkMessage = async (
  connect: () => CardinalClient | Promise<CardinalClient>,
  file: string,
  { anyCase, rewrite }: HookOptions,
): Promise<string[]> => {
  const message = readMessage(await readFile(file));
  const references = referencesInMessage(message, await commentMark(), anyCase);
  if (references.length === 0) return [];
  const found: (Occurrence & Target)[] = [];
  for await (const one of resolveCandidates(await connect(), references)) found.push(one);
  const text = rewrite ? rewriteMessage(message, found) : message.text;
  if (text !== message.text) await writeFile(file, text, message.encoding);
  const lines = found.flatMap(({ requested, card, is_alias, current_identifier, issued }) => {
    if (card === null) return [`${requested} leads to no card: ${reasonOf({ issued })}`];
    if (!is_alias) return [];
    return [
      rewrite ? `${requested} is written as ${current_identifier}` : `${requested} is ${current_identifier} today`,
    ];
  });
  return [...new Set(lines)];
};
