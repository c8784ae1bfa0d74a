import { cardToAdopt, createCommentBody, createLabelBody, createSubtask } from '@cardinal/contracts';
import { type Issue, noValue } from '../issue.ts';
import type { Identity } from './identity.ts';
import { identityBy, type KeyRules, meaningOf } from './keys.ts';
import { pieces, shorten } from './texts.ts';

/** How rows are read. */
export interface RowRules extends KeyRules {
  /** Whether titles, descriptions and names that are too long are shortened. */
  truncate: boolean;
}

/** A row of the plan: its texts in the API's form, and its identifier. */
export interface Row {
  issue: Issue;
  identity: Identity | undefined;
  /** The prefix of its key, if it is not valid here. */
  foreign?: string;
  /** Whether its key is a number, and no prefix was chosen for numbers. */
  isBare: boolean;
  /** Why it cannot become a card. */
  problem: string | undefined;
  /** Names of what was shortened. */
  shortened: string[];
}

/** In code points (CONTRACT 1.6). */
const longestTitle = 240;
export const longestText = 20_000;
export const longestName = 120;

/** A name as it can be kept in a file and sent. */
export const nameOf = (name: string) => name.toWellFormed().replaceAll('\0', '').trim();
const names = (all: string[]) => [...new Set(all.map(nameOf).filter((name) => name !== ''))];
const nameOrNull = (name: string | null) => (name === null ? null : nameOf(name) || null);

const normal = (issue: Issue): Issue => ({
  ...issue,
  key: issue.key === null || noValue.test(issue.key.trim()) ? null : issue.key.trim(),
  title: issue.title.trim(),
  status: nameOrNull(issue.status),
  priority: nameOrNull(issue.priority),
  creator: nameOrNull(issue.creator),
  assignees: names(issue.assignees),
  labels: names(issue.labels),
  subtasks: issue.subtasks.filter(({ title }) => title.trim() !== ''),
  links: issue.links.map((link) => ({ ...link, type: nameOf(link.type) })),
  comments: issue.comments.filter(({ text }) => text.trim() !== ''),
});

/** Keeps the old key in the card's text, where a search finds it. */
const withOldKey = (description: string | null, old: string) =>
  [`Key before the move: ${old}`, ...(description ? [description] : [])].join('\n\n');

const shortenAll = (issue: Issue): { issue: Issue; shortened: string[] } => {
  const shortened: string[] = [];
  const cut = (what: string, text: string, max: number) => {
    const short = shorten(text, max);
    if (short !== text) shortened.push(what);
    return short;
  };
  const short = {
    ...issue,
    title: cut('titles', issue.title, longestTitle),
    description: issue.description === null ? null : cut('descriptions', issue.description, longestText),
    labels: [...new Set(issue.labels.map((name) => cut('labels', name, longestName)))],
    subtasks: issue.subtasks.map((one) => ({ ...one, title: cut('subtasks', one.title.trim(), longestTitle) })),
  };
  return { issue: short, shortened };
};

/** Splits a comment's text into bodies of at most `max` code points, none blank. */
export const bodiesOf = (text: string, max: number): string[] =>
  pieces(text, max).filter((piece) => piece.trim() !== '');

const someId = '00000000-0000-7000-8000-000000000000';

const firstProblem = (field: string, result: { error?: { issues: { path: PropertyKey[]; message: string }[] } }) => {
  const [issue] = result.error?.issues ?? [];
  if (!issue) return undefined;
  const path = issue.path.filter((part) => typeof part === 'string').join('.');
  return `${[field, path].filter((part) => part !== '').join(' ')} ${issue.message}`;
};

/** The first field of an issue whose time is in the future; undefined if there is none. */
const future = ({ created_at, completed_at, archived_at }: Issue, now: number) =>
  Object.entries({ created_at, completed_at, archived_at }).find(([, at]) => at !== null && Date.parse(at) > now)?.[0];

/** Why the API would refuse an issue, in a line; undefined if it accepts it. */
const problemOf = (issue: Issue, identity: Identity | undefined, rules: KeyRules): string | undefined => {
  const card = cardToAdopt.safeParse({
    number: identity?.number ?? 1,
    former: [...new Set(issue.former.flatMap((key) => identityBy(key, rules)?.key ?? []))],
    column_id: someId,
    title: issue.title,
    description: issue.description,
    due_date: issue.due_date,
    completed_at: issue.completed_at,
    archived_at: issue.archived_at,
    ...(issue.created_at !== null && { created_at: issue.created_at }),
    assignee_user_ids: issue.assignees.map(() => someId),
    label_ids: issue.labels.map(() => someId),
  });
  const problem = firstProblem('', card);
  if (problem) return problem;
  const ahead = future(issue, Date.now());
  if (ahead) return `${ahead} is in the future`;
  for (const name of issue.labels) {
    const wrong = firstProblem(`label "${shorten(name, 40)}"`, createLabelBody.shape.name.safeParse(name));
    if (wrong) return wrong;
  }
  for (const { title } of issue.subtasks) {
    const wrong = firstProblem(`subtask "${shorten(title, 40)}":`, createSubtask.http.body?.safeParse({ title }) ?? {});
    if (wrong) return wrong;
  }
  for (const piece of issue.comments.flatMap(({ text }) => bodiesOf(text, longestText))) {
    const wrong = firstProblem('a comment', createCommentBody.shape.body.safeParse(piece));
    if (wrong) return wrong;
  }
  return undefined;
};

/** Converts a row; the result is the same at each reading. */
export const rowOf = (read: Issue, { truncate, ...rules }: RowRules): Row => {
  const plain = normal(read);
  const meaning = plain.key === null ? undefined : meaningOf(plain.key, rules);
  const identity = meaning && 'identity' in meaning ? meaning.identity : undefined;
  const old = meaning && 'old' in meaning ? meaning.old : undefined;
  const named = old === undefined ? plain : { ...plain, description: withOldKey(plain.description, old) };
  const { issue, shortened } = truncate ? shortenAll(named) : { issue: named, shortened: [] };
  return {
    issue,
    identity,
    shortened,
    isBare: meaning !== undefined && 'bare' in meaning,
    ...(meaning && 'foreign' in meaning && { foreign: meaning.foreign }),
    problem: meaning && 'problem' in meaning ? meaning.problem : problemOf(issue, identity, rules),
  };
};
