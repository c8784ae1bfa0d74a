type Row = Record<string, string | number>;

const gap = '  ';

// A title may hold what would steer the terminal.
const visible = (text: string) => text.replaceAll(/\p{Cc}/gu, ' ');

/** Rows below their headings, in as many characters a line as there are; the last column is cut where it must be. */
export const table = (rows: Row[], width: number): string[] => {
  const names = Object.keys(rows[0] ?? {});
  const cells = rows.map((row) => names.map((name) => visible(String(row[name] ?? ''))));
  const lines = [names, ...cells];
  const widths = names.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  return lines.map((line) => {
    const padded = line.map((cell, at) => (at === names.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join(gap);
    return padded.length > width ? `${padded.slice(0, width - 1)}…` : padded.trimEnd();
  });
};

/** Items as they come, a line of JSON each; on a terminal as a table, when all of them are there. */
export const print = async <Item extends object>(
  items: AsyncIterable<Item>,
  shown: (item: Item) => Row,
): Promise<void> => {
  const rows: Row[] = [];
  for await (const item of items) {
    if (process.stdout.isTTY) rows.push(shown(item));
    else console.log(JSON.stringify(item));
  }
  if (rows.length > 0) console.log(table(rows, process.stdout.columns || 80).join('\n'));
};
