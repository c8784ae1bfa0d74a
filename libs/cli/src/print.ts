import stringWidth from 'string-width';
import type { Session } from './session.ts';
import { brief, type columnsOf, handles, leastText, type Row, rowsOf } from './tables.ts';
import { showUnseen } from './terminal.ts';

const gap = '  ';

/** 6523 as 6,523. */
export const grouped = (number: number): string => number.toLocaleString('en-US');

/** How many there are of what: `1 row`, `2 rows`. @param many what several are, where that is not `one` with an s */
export const several = (count: number, one: string, many = `${one}s`): string =>
  `${grouped(count)} ${count === 1 ? one : many}`;

/** A text in one line, as wide as it is seen; a title may hold what would steer the terminal. */
export const visible = (text: string) => showUnseen(text.replaceAll(/\p{Cc}/gu, (one) => (one < ' ' ? ' ' : one)));

const segmenter = new Intl.Segmenter();

const cut = (text: string, width: number): string => {
  if (stringWidth(text) <= width) return text;
  let begun = '';
  for (const { segment } of segmenter.segment(text)) {
    if (stringWidth(begun + segment) >= width) break;
    begun += segment;
  }
  return `${begun}…`;
};

const filled = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - stringWidth(text)));

/** Widths that fit into a line: long texts are cut alike, down to a few words; then columns from the last one on. */
const fitted = (widths: readonly number[], width: number): number[] => {
  const fit = [...widths];
  const over = () => fit.reduce((sum, each) => sum + each, gap.length * (fit.length - 1)) - width;
  while (over() > 0 && Math.max(...fit) > leastText) fit[fit.lastIndexOf(Math.max(...fit))] = Math.max(...fit) - 1;
  for (let at = fit.length - 1; at >= 0 && over() > 0; at -= 1) fit[at] = Math.max(1, (fit[at] ?? 0) - over());
  return fit;
};

/** Rows below their headings, in lines of as many characters; what is too long is cut. */
export const table = (rows: Row[], width: number): string[] => {
  const names = Object.keys(rows[0] ?? {});
  const lines = [names, ...rows.map((row) => names.map((name) => visible(String(row[name] ?? ''))))];
  const widest = names.map((_, at) => Math.max(...lines.map((line) => stringWidth(line[at] ?? ''))));
  const widths = fitted(widest, width);
  return lines.map((line) =>
    line
      .map((cell, at) => filled(cut(cell, widths[at] ?? 0), widths[at] ?? 0))
      .join(gap)
      .trimEnd(),
  );
};

const width = () => process.stdout.columns || 80;

/** Whether a person reads it: on a terminal, unless `--json` was said. */
export const isForPerson = ({ json }: Pick<Session, 'json'>): boolean => process.stdout.isTTY === true && !json();

/** Items as they come, a line of JSON each; for a person as a table, when all of them are there. */
const printRows = async <Item extends object>(
  session: Pick<Session, 'json'>,
  items: AsyncIterable<Item> | Iterable<Item>,
  rows: (items: Item[]) => Row[],
): Promise<number> => {
  const read: Item[] = [];
  let count = 0;
  for await (const item of items) {
    count += 1;
    if (isForPerson(session)) read.push(item);
    else console.log(JSON.stringify(item));
  }
  if (read.length > 0) console.log(table(rows(read), width()).join('\n'));
  return count;
};

/** Prints a list whose rows come one by one. */
export const print = <Item extends object>(
  session: Pick<Session, 'json'>,
  items: AsyncIterable<Item>,
  shown: (item: Item) => Row,
): Promise<number> => printRows(session, items, (read) => read.map(shown));

/** Prints a list of resources, in the columns of their schema. */
export const printList = async (
  session: Pick<Session, 'json'>,
  items: AsyncIterable<object> | Iterable<object>,
  columns: ReturnType<typeof columnsOf>,
): Promise<void> => {
  const rows = (read: object[]) => rowsOf(read, columns, { width: width(), widthOf: stringWidth });
  if ((await printRows(session, items, rows)) === 0) console.error('none found');
};

/** Names and values below each other; lines of a long text keep to their column. */
export const pairs = (fields: [name: string, value: string][]): string[] => {
  const widest = Math.max(...fields.map(([name]) => stringWidth(name)));
  return fields.flatMap(([name, value]) =>
    value.split('\n').map((line, at) => filled(at === 0 ? name : '', widest) + gap + line),
  );
};

/** Several parts for a person; for a program one JSON. */
export const printParts = (session: Pick<Session, 'json'>, whole: object, lines: () => string[]): void => {
  if (isForPerson(session)) console.log(lines().map(visible).join('\n'));
  else console.log(JSON.stringify(whole, null, 2));
};

/** One resource: as JSON; for a person its fields that hold something, below each other. */
export const printOne = (session: Pick<Session, 'json'>, resource: object): void => {
  const known = Object.entries(resource).filter(([name]) => name !== 'type');
  const ofHandles = handles.flatMap((handle) => known.filter(([name]) => name === handle));
  const ordered = [...new Set([...ofHandles, ...known])];
  const fields = ordered.map(([name, value]): [string, string] => [name.replaceAll('_', ' '), brief(value)]);
  printParts(session, resource, () => pairs(fields.filter(([, value]) => value !== '')));
};
