import { createCardBody } from '@cardinal/contracts';
import { type RowHash, rowHash } from './row-key.ts';
import { shorten } from './shorten.ts';
import { type NamedWorkstream, workstreamOf } from './workstream-of.ts';

/** What a file's columns mean and how its rows become cards. */
export interface RowRules {
  header: string[];
  titleAt: number;
  descriptionAt: number | undefined;
  pattern: RegExp | undefined;
  truncate: boolean;
}

/** A card to be: what is sent, which workstream it names and what its key is made of. */
export interface PlannedCard {
  title: string;
  description?: string;
  workstream: NamedWorkstream;
  hash: RowHash;
}

const longestTitle = 240;
const longestDescription = 20_000;

/**
 * Turns a row into a card, judged by the very schema that the service judges it by.
 * @returns the card, or what the API would refuse about the row
 */
export const planRow = (cells: string[], rules: RowRules): PlannedCard | { problem: string } => {
  const { header, titleAt, descriptionAt, pattern, truncate } = rules;
  if (cells.length !== header.length) {
    return { problem: `${cells.length} fields where the header has ${header.length}` };
  }
  const cut = (text: string, max: number) => (truncate ? shorten(text, max) : text);
  const title = cells[titleAt] ?? '';
  const description = descriptionAt === undefined ? '' : (cells[descriptionAt] ?? '');
  const body = createCardBody.safeParse({
    title: cut(title.trim(), longestTitle),
    ...(description === '' ? {} : { description: cut(description, longestDescription) }),
  });
  if (!body.success) {
    return { problem: body.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`).join('; ') };
  }
  return {
    title: body.data.title,
    ...(body.data.description == null ? {} : { description: body.data.description }),
    workstream: workstreamOf(title, pattern),
    hash: rowHash(header, cells),
  };
};
