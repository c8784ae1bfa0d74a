import { isUtf8 } from 'node:buffer';
import { type Occurrence, occurrencesIn } from '@cardinal/contracts';
import type { Target } from '../refs/resolve.ts';

/** A commit message as an editor leaves it. */
export interface Message {
  text: string;
  encoding: 'utf8' | 'latin1';
}

/** Other encodings than UTF-8 pass through byte by byte: identifiers are ASCII in all that git takes. */
export const readMessage = (bytes: Buffer): Message => {
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  return { text: bytes.toString(encoding), encoding };
};

// What `core.commentChar=auto` chooses among.
const commentCharacters = [...'#;@!$%^&|:'];

const scissors = /^.{1,10} -{24} >8 -{24}\r?$/;

// The first line of such a commit is that of the commit it mends, and git finds it by these words.
const mending = /^(fixup|squash|amend)! /;

/**
 * What looks like an identifier in the part of a message that git keeps: neither in comments nor behind the scissors.
 * @param comment what begins a comment, as `core.commentChar` says it, `auto` too
 */
export const referencesInMessage = ({ text }: Message, comment: string, anyCase: boolean): Occurrence[] => {
  const comments = comment === 'auto' ? commentCharacters : [comment];
  const lines = text.split('\n');
  const cut = lines.findIndex((line) => scissors.test(line));
  let place = 0;
  return (cut === -1 ? lines : lines.slice(0, cut)).flatMap((line, at) => {
    const before = place;
    place += [...line].length + 1;
    if (comments.some((mark) => line.startsWith(mark)) || (at === 0 && mending.test(line))) return [];
    return occurrencesIn(line, anyCase).map((found) => ({
      ...found,
      start: before + found.start,
      end: before + found.end,
    }));
  });
};

/** The text with today's identifiers in place of former ones. */
export const rewriteMessage = ({ text }: Message, references: (Occurrence & Target)[]): string => {
  const points = [...text];
  for (const { start, end, is_alias, current_identifier } of references.toReversed()) {
    if (is_alias) points.splice(start, end - start, current_identifier ?? '');
  }
  return points.join('');
};
