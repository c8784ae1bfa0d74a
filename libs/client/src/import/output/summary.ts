import type { Survey } from '../survey.ts';
import type { Count, Tally } from '../tally.ts';
import { duration, grouped } from './numbers.ts';

const byRows = (a: [string, number], b: [string, number]) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1);

/** What the file holds, before anything is written. */
export const describeSurvey = (survey: Survey): string[] => {
  const named = [...survey.prefixes].sort(byRows);
  const inNamed = named.reduce((sum, [, rows]) => sum + rows, 0);
  const { rows, examples } = survey.unusable;
  return [
    `${grouped(survey.rows)} rows: ${grouped(inNamed)} in ${named.length} workstreams, ${grouped(survey.rows - inNamed)} in the default one`,
    ...(named.length > 0 ? [named.map(([prefix, count]) => `${prefix} ${grouped(count)}`).join(', ')] : []),
    ...(rows > 0
      ? [
          `${grouped(rows)} of the rows in the default workstream matched what cannot be a prefix: ${[...examples].join(', ')}`,
        ]
      : []),
  ];
};

const total = (count: Count) => count.created + count.alreadyThere;

/**
 * What the import did.
 * @param elapsedMs since the command was started
 */
export const describeResult = (
  { all, byPrefix }: Tally,
  place: { board: string; column: string },
  elapsedMs: number,
): string[] => {
  const row = (name: string, count: Count) =>
    `  ${name.padEnd(12)}${grouped(count.created).padStart(10)}${grouped(count.alreadyThere).padStart(15)}`;
  const counts = [...byPrefix].sort((a, b) => byRows([a[0], total(a[1])], [b[0], total(b[1])]));
  return [
    `board "${place.board}", column "${place.column}": ${grouped(all.created)} cards created, ${grouped(all.alreadyThere)} already there, ${duration(elapsedMs)}`,
    `  ${'workstream'.padEnd(12)}${'created'.padStart(10)}${'already there'.padStart(15)}`,
    ...counts.map(([prefix, count]) => row(prefix, count)),
    row('all', all),
  ];
};
