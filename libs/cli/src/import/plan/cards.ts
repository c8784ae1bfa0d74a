import type { CreateCardBody } from '@cardinal/contracts';
import { CliError } from '../../errors.ts';
import type { Comment, Issue, LeftOut, Place, Source, Subtask } from '../issue.ts';
import {
  fingerprint,
  type Identity,
  identityOf,
  issueFingerprint,
  longestText,
  longestTitle,
  pieces,
  problemOf,
  shorten,
} from './identity.ts';
import type { Mapping } from './mapping.ts';
import { type PlanRules, type Survey, truncated } from './survey.ts';

/** A card to be. */
export interface PlannedCard {
  place: Place;
  /** Undefined where the default workstream numbers it. */
  identity: Identity | undefined;
  /** Earlier identifiers, oldest first. */
  former: Identity[];
  /** Stands for the card in the journal: its identifier, or its content and how many equal ones came before. */
  name: string;
  fields: Pick<CreateCardBody, 'title' | 'description' | 'due_date' | 'priority'>;
  created_at: string | null;
  completed_at: string | null;
  archived_at: string | null;
  column: string;
  creator: string | null;
  assignees: string[];
  labels: string[];
  /** Bodies of its comments. */
  comments: string[];
  subtasks: Subtask[];
}

const nobody: LeftOut = { count: () => {} };

/** A comment's text below who wrote it and when; the API would say that the importer wrote it now. */
const commentBodies = ({ author, at, text }: Comment): string[] => {
  const when = at === null ? undefined : `${at.slice(0, 16).replace('T', ' ')} UTC`;
  const head = [author, when].filter((part) => part).join(', ');
  if (text.trim() === '') return [];
  // A head is short; what is left of a body is the text's.
  return pieces(text, longestText - 200).map((piece) => (head === '' ? piece : `${shorten(head, 190)}\n\n${piece}`));
};

/** A row that a card of another row takes as a comment. */
const commentOf = ({ title, description, creator, created_at: at }: Issue): Comment => ({
  author: creator,
  at,
  text: description === null ? title : `${title}\n\n${description}`,
});

/** Says once per row what becomes of it, in the same way in every run over the same files. */
const identities = (survey: Survey, { sameKey, prefix }: PlanRules) => {
  const used = new Set<string>();
  const highest = new Map<string, number>();
  const next = (of: string): Identity => {
    const start = highest.get(of) ?? (survey.numbers.get(of) ?? []).reduce((most, n) => Math.max(most, n), 0);
    highest.set(of, start + 1);
    return { key: `${of}-${start + 1}`, prefix: of, number: start + 1 };
  };
  return (issue: Issue): { identity: Identity | undefined } | 'left' => {
    const identity = issue.key === null ? undefined : identityOf(issue.key);
    if (!identity) return { identity: prefix === undefined ? undefined : next(prefix) };
    if (!used.has(identity.key)) {
      used.add(identity.key);
      return { identity };
    }
    if (sameKey === 'comment' || survey.keys.get(identity.key) === issueFingerprint(issue)) return 'left';
    return { identity: sameKey === 'number' ? next(identity.prefix) : undefined };
  };
};

const formerOf = (issue: Issue, identity: Identity | undefined, survey: Survey): Identity[] =>
  issue.former.flatMap((key) => {
    const earlier = identityOf(key);
    return earlier && identity && survey.former.get(earlier.key) === identity.key ? [earlier] : [];
  });

/** Ids by the words of the mapping. */
const readings = ({ columns, people, priorities }: Mapping) => {
  const byStatus = new Map(columns.flatMap((column) => column.statuses.map((status) => [status, column])));
  return {
    column: (status: string | null) => byStatus.get(status ?? ''),
    user: (name: string | null) => (name === null ? null : (people[name] ?? null)),
    priority: (name: string | null) => (name === null ? null : (priorities[name] ?? null)),
  };
};

const extraComments = async (source: Source, survey: Survey, rules: PlanRules): Promise<Map<string, string[]>> => {
  const extra = new Map<string, string[]>();
  if (rules.sameKey !== 'comment' || survey.sameKey.size === 0) return extra;
  for await (const read of source.read(nobody)) {
    const identity = 'issue' in read && read.issue.key !== null ? identityOf(read.issue.key) : undefined;
    if (!identity || !('issue' in read) || !survey.sameKey.has(identity.key)) continue;
    const issue = rules.truncate ? truncated(read.issue) : read.issue;
    if (problemOf(issue) !== undefined) continue;
    const known = extra.get(identity.key);
    if (!known) extra.set(identity.key, []);
    else if (survey.keys.get(identity.key) !== issueFingerprint(issue)) known.push(...commentBodies(commentOf(issue)));
  }
  return extra;
};

/**
 * The cards that the files become, in the order of their rows. Rows that the API would refuse are passed over.
 */
export async function* plannedCards(
  source: Source,
  survey: Survey,
  mapping: Mapping,
  rules: PlanRules,
): AsyncGenerator<PlannedCard> {
  const comments = await extraComments(source, survey, rules);
  const decide = identities(survey, rules);
  const read = readings(mapping);
  const equal = new Map<number, number>();
  for await (const row of source.read(nobody)) {
    if (!('issue' in row)) continue;
    const issue = rules.truncate ? truncated(row.issue) : row.issue;
    if (problemOf(issue) !== undefined) continue;
    const decided = decide(issue);
    if (decided === 'left') continue;
    const { identity } = decided;
    const print = identity ? 0 : issueFingerprint(issue);
    if (!identity) equal.set(print, (equal.get(print) ?? 0) + 1);
    const column = read.column(issue.status);
    if (!column)
      throw new CliError(`the files were changed meanwhile: ${issue.place.file}:${issue.place.line} has a new status`);
    const completedHere = column.completed ? (issue.updated_at ?? issue.created_at) : null;
    const isFirst = identity !== undefined && issue.key !== null && identityOf(issue.key)?.key === identity.key;
    yield {
      place: issue.place,
      identity,
      former: formerOf(issue, identity, survey),
      name: identity ? identity.key : fingerprint([print, equal.get(print)]),
      fields: {
        title: issue.title,
        ...(issue.description !== null && { description: issue.description }),
        ...(issue.due_date !== null && { due_date: issue.due_date }),
        priority: read.priority(issue.priority),
      },
      created_at: issue.created_at,
      completed_at: issue.completed_at ?? completedHere,
      archived_at: issue.archived_at,
      column: column.name,
      creator: read.user(issue.creator),
      assignees: [...new Set(issue.assignees.flatMap((name) => read.user(name) ?? []))],
      labels: issue.labels,
      comments: [...issue.comments.flatMap(commentBodies), ...((isFirst && comments.get(identity.key)) || [])],
      subtasks: issue.subtasks.flatMap(({ title, completed }) =>
        title.trim() === '' ? [] : [{ title: shorten(title.trim(), longestTitle), completed }],
      ),
    };
  }
}
