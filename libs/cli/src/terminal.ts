/*
 * Texts of others may hold invisible characters that change what is shown: U+202E reverses the rest of a line,
 * U+200B hides in a name, a raw U+009B begins a command to the terminal.
 */

/** Controls, formats, and separators of lines and paragraphs. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const escapeOf = (character: string): string =>
  Array.from({ length: character.length }, (_, at) => {
    const unit = character.charCodeAt(at).toString(16).padStart(4, '0');
    return `\\u${unit}`;
  }).join('');

/** Shows what cannot be seen as escapes, as JSON has them: of JSON the value stays the same. Those of ASCII stay. */
export const showUnseen = (text: string): string =>
  text.replaceAll(unseen, (character) => (character < '\u007f' ? character : escapeOf(character)));

/** Where a stream is a terminal, has all that is written to it show what cannot be seen. Pipes and files get it as it is. */
export const guardTerminal = (stream: NodeJS.WriteStream): void => {
  if (!stream.isTTY) return;
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  stream.write = (chunk: unknown, ...rest: unknown[]) =>
    write(typeof chunk === 'string' ? showUnseen(chunk) : chunk, ...rest);
};
