import { type CreateCardBody, mainPrefix } from '@cardinal/contracts';
import { CliError } from '../../errors.ts';
import type { Comment, Issue, LeftOut, Place, Source, Subtask } from '../issue.ts';
import { fingerprint, type Identity, issueFingerprint } from './identity.ts';
import { identityBy } from './keys.ts';
import { type Mapping, meaningIn } from './mapping.ts';
import { bodiesOf, longestText, rowOf } from './rows.ts';
import type { PlanRules, Survey } from './survey.ts';
import { shorten } from './texts.ts';

/** A card that an import will create. */
export interface PlannedCard {
  place: Place;
  /** Undefined if the workstream issues its number. */
  identity: Identity | undefined;
  /** The prefix of its workstream; undefined for the default one. */
  prefix: string | undefined;
  /** Whether the import chose its number, as it has no key. */
  isNumbered: boolean;
  /** Earlier identifiers, oldest first. */
  former: Identity[];
  /** Identifies the card in the journal: its key, or its content and the number of equal ones before. */
  name: string;
  /** The tracker's own id. */
  source: string | null;
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

/** How rows without a number get one. */
export interface Numbering {
  /** Whether the workstream issues the numbers of its cards itself. */
  isOpen(prefix: string): boolean;
  /** The name in the journal of a row without a key that was corrected since; else the name of its content. */
  called(name: string): string;
  /** The highest number that a workstream ever issued or adopted. */
  highest(prefix: string): number;
  /**
   * The number that a row got in an earlier run, if it is still the row's.
   * @param first its number in a workstream without numbers
   */
  given(
    name: string,
    prefix: string,
    row: { title: string; created_at: string | null; first: number },
  ): number | undefined;
}

/** For a workspace that was not read. */
const freshNumbering: Numbering = {
  isOpen: () => false,
  called: (name) => name,
  highest: () => 0,
  given: () => undefined,
};

const nobody: LeftOut = { count: () => {} };

/** Puts author and time above a comment's text: for the API the importer wrote it now. */
const commentBodies = ({ author, at, text }: Comment): string[] => {
  const when = at === null ? undefined : `${at.slice(0, 16).replace('T', ' ')} UTC`;
  const head = [author, when].filter((part) => part).join(', ');
  // A head is short; the rest of the body is for the text.
  return bodiesOf(text, longestText - 200).map((piece) => (head === '' ? piece : `${shorten(head, 190)}\n\n${piece}`));
};

/** A row that becomes a comment on the card of another row. */
const commentOf = ({ title, description, creator, created_at: at }: Issue): Comment => ({
  author: creator,
  at,
  text: description === null ? title : `${title}\n\n${description}`,
});

/** The identifier of a row that has no key. */
type Unnamed = Pick<PlannedCard, 'identity' | 'prefix' | 'isNumbered' | 'name'>;

/** Decides the outcome of each row, the same in every run over the same files. */
const identities = (survey: Survey, { sameKey, prefix }: PlanRules, numbering: Numbering) => {
  const used = new Set<string>();
  const highest = new Map<string, number>();
  const counts = new Map<string, number>();
  const equal = new Map<number, number>();
  const inFiles = new Map<string, number>();
  const ofFiles = (of: string): number => {
    const known = inFiles.get(of) ?? (survey.numbers.get(of) ?? []).reduce((most, n) => Math.max(most, n), 0);
    inFiles.set(of, known);
    return known;
  };
  const next = (of: string): number => {
    const number = (highest.get(of) ?? Math.max(ofFiles(of), numbering.highest(of))) + 1;
    highest.set(of, number);
    return number;
  };
  const unnamed = (issue: Issue, of: string): Unnamed => {
    const print = issueFingerprint(issue);
    equal.set(print, (equal.get(print) ?? 0) + 1);
    const name = numbering.called(fingerprint([print, equal.get(print)]));
    const count = (counts.get(of) ?? 0) + 1;
    counts.set(of, count);
    const given = numbering.given(name, of, { ...issue, first: ofFiles(of) + count });
    if (given === undefined && numbering.isOpen(of)) {
      return { identity: undefined, prefix: of === mainPrefix ? undefined : of, isNumbered: false, name };
    }
    const number = given ?? next(of);
    return { identity: { key: `${of}-${number}`, prefix: of, number }, prefix: of, isNumbered: true, name };
  };
  return (issue: Issue, identity: Identity | undefined): Unnamed | 'left' => {
    if (!identity) return unnamed(issue, prefix ?? mainPrefix);
    if (!used.has(identity.key)) {
      used.add(identity.key);
      return { identity, prefix: identity.prefix, isNumbered: false, name: identity.key };
    }
    if (sameKey === 'comment' || survey.keys.get(identity.key) === issueFingerprint(issue)) return 'left';
    return unnamed(issue, sameKey === 'number' ? identity.prefix : mainPrefix);
  };
};

const formerOf = (issue: Issue, identity: Identity | undefined, survey: Survey, rules: PlanRules): Identity[] =>
  issue.former.flatMap((key) => {
    const earlier = identityBy(key, rules);
    return earlier && identity && survey.former.get(earlier.key) === identity.key ? [earlier] : [];
  });

/** Look-ups of the mapping, by the words of the tracker. */
const readings = ({ columns, people, priorities }: Mapping) => {
  const byStatus = new Map(columns.flatMap((column) => column.statuses.map((status) => [status, column])));
  return {
    column: (status: string | null) => byStatus.get(status ?? ''),
    user: (name: string | null) => (name === null ? null : (meaningIn(people, name) ?? null)),
    priority: (name: string | null) => (name === null ? null : (meaningIn(priorities, name) ?? null)),
  };
};

/** Rows that become cards, with their identifiers. */
async function* usable(source: Source, rules: PlanRules) {
  for await (const read of source.read(nobody)) {
    if (!('issue' in read)) continue;
    const { issue, identity, problem } = rowOf(read.issue, rules);
    if (problem === undefined) yield { issue, identity };
  }
}

const extraComments = async (source: Source, survey: Survey, rules: PlanRules): Promise<Map<string, string[]>> => {
  const extra = new Map<string, string[]>();
  if (rules.sameKey !== 'comment' || survey.sameKey.size === 0) return extra;
  for await (const { issue, identity } of usable(source, rules)) {
    if (!identity || !survey.sameKey.has(identity.key)) continue;
    const known = extra.get(identity.key);
    if (!known) extra.set(identity.key, []);
    else if (survey.keys.get(identity.key) !== issueFingerprint(issue)) known.push(...commentBodies(commentOf(issue)));
  }
  return extra;
};

/** The completion time of a card that its column completes: its last change, the best estimate. */
const completedBy = ({ updated_at, created_at }: Issue): string | null => {
  const past = (at: string | null) => (at !== null && Date.parse(at) <= Date.now() ? at : null);
  return past(updated_at) ?? past(created_at);
};

/**
 * The cards of the files, in the order of their rows. Skips rows that the API would refuse.
 */
export async function* plannedCards(
  source: Source,
  survey: Survey,
  mapping: Mapping,
  rules: PlanRules,
  numbering: Numbering = freshNumbering,
): AsyncGenerator<PlannedCard> {
  const comments = await extraComments(source, survey, rules);
  const decide = identities(survey, rules, numbering);
  const read = readings(mapping);
  for await (const { issue, identity: own } of usable(source, rules)) {
    const decided = decide(issue, own);
    if (decided === 'left') continue;
    const { identity, name } = decided;
    const column = read.column(issue.status);
    if (!column)
      throw new CliError(
        `the files changed during the import: ${issue.place.file}:${issue.place.line} has a new status`,
      );
    const isFirst = own !== undefined && own.key === name;
    yield {
      ...decided,
      place: issue.place,
      former: isFirst ? formerOf(issue, identity, survey, rules) : [],
      source: issue.id,
      fields: {
        title: issue.title,
        ...(issue.description !== null && { description: issue.description }),
        ...(issue.due_date !== null && { due_date: issue.due_date }),
        priority: read.priority(issue.priority),
      },
      created_at: issue.created_at,
      completed_at: issue.completed_at ?? (column.completed ? completedBy(issue) : null),
      archived_at: issue.archived_at,
      column: column.name,
      creator: read.user(issue.creator),
      assignees: [...new Set(issue.assignees.flatMap((person) => read.user(person) ?? []))],
      labels: issue.labels,
      comments: [...issue.comments.flatMap(commentBodies), ...((isFirst && comments.get(own.key)) || [])],
      subtasks: issue.subtasks.map(({ title, completed }) => ({ title: title.trim(), completed })),
    };
  }
}
