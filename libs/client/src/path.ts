/**
 * Writes a path whose inserted parts stay one segment each, whatever they contain.
 * @throws TypeError for a part that a URL would swallow: a write must never reach another address than it names
 */
export const pathTo = (texts: TemplateStringsArray, ...parts: string[]): string =>
  texts.reduce((whole, text, n) => whole + segment(parts[n - 1] ?? '') + text);

const segment = (part: string) => {
  if (/^\.{0,2}$/.test(part)) throw new TypeError(`an id must not be ${JSON.stringify(part)}`);
  return encodeURIComponent(part);
};
