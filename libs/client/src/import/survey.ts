import { plannedRows, type Table } from './rows/table.ts';

/** What a file holds, found by reading it once before anything is written. */
export interface Survey {
  rows: number;
  /** Rows that the API would refuse. */
  refused: number;
  /** Rows of each workstream that a title names. */
  prefixes: Map<string, number>;
  /** Rows whose match cannot be a prefix, and the first few of these matches. */
  unusable: { rows: number; examples: Set<string> };
}

const manyExamples = 5;

/**
 * Reads the whole table.
 * @param onProblem told of each row that the API would refuse, as it is met
 */
export const surveyTable = async (
  table: Table,
  onProblem: (line: number, problem: string) => void,
): Promise<Survey> => {
  const survey: Survey = { rows: 0, refused: 0, prefixes: new Map(), unusable: { rows: 0, examples: new Set() } };
  for await (const row of plannedRows(table)) {
    survey.rows += 1;
    if ('problem' in row) {
      survey.refused += 1;
      onProblem(row.line, row.problem);
      continue;
    }
    const { prefix, unusable } = row.card.workstream;
    if (prefix !== undefined) survey.prefixes.set(prefix, (survey.prefixes.get(prefix) ?? 0) + 1);
    if (unusable !== undefined) {
      survey.unusable.rows += 1;
      if (survey.unusable.examples.size < manyExamples) survey.unusable.examples.add(unusable);
    }
  }
  return survey;
};
