import type { Category, Issue, LeftOut, Place, Source } from '../issue.ts';
import type { Edge } from './cycles.ts';
import { type Identity, issueFingerprint } from './identity.ts';
import { identityBy } from './keys.ts';
import { type Row, type RowRules, rowOf } from './rows.ts';

/** How to treat rows with the key of an earlier row. */
type SameKey = 'card' | 'comment' | 'number';

/** How rows are read, and how rows with the same key are treated. */
export interface PlanRules extends RowRules {
  sameKey?: SameKey | undefined;
}

/** A count with a few examples. */
export interface Examples {
  rows: number;
  examples: Set<string>;
}

export interface StatusCount {
  rows: number;
  categories: Record<Category | 'unknown', number>;
}

/** Closed or updated before it was created, due before it began, updated in the future. */
type Crossed = 'closed' | 'updated' | 'due' | 'ahead';

interface RelatedPair {
  type: string;
  waiting: string;
  awaited: string;
}

/** The contents of exports, read once; nothing was written. */
export interface Survey {
  rows: number;
  /** Rows that cannot become cards. */
  refused: number;
  refusals: { place: Place; problem: string }[];
  /** How many texts of each kind were shortened. */
  shortened: Map<string, number>;
  /** By field and reason. */
  leftOut: Map<string, Map<string, number>>;
  /** The fingerprint of the first row of each key. */
  keys: Map<string, number>;
  /** Rows that equal an earlier row of the same key. */
  repeated: number;
  /** Further rows of a key. */
  sameKey: Map<string, number>;
  keyless: number;
  /** Keys by prefixes that are not valid here. */
  foreign: Map<string, Examples>;
  /** Keys that are numbers alone, without a prefix for them. */
  bare: Examples;
  /** Keys that change: their numbers had leading zeros, or they get another prefix. */
  respelled: Examples;
  /** Whether keys are numbers alone: a number in a link may then be a key; otherwise it is an id of the tracker. */
  hasNumbers: boolean;
  /** Rows whose dates contradict each other, or are in the future. */
  crossed: Map<Crossed, Examples>;
  /** The present key of each earlier key. */
  former: Map<string, string>;
  /** Earlier keys that another row has, or that cannot be identifiers. */
  formerRefused: Examples;
  /** Numbers by prefix, in the order of rows. */
  numbers: Map<string, number[]>;
  /** The empty name stands for none. */
  statuses: Map<string, StatusCount>;
  priorities: Map<string, number>;
  /** How often each person is an assignee or a creator. */
  people: Map<string, number>;
  labels: Map<string, number>;
  comments: number;
  subtasks: number;
  links: Map<string, number>;
  pairs: RelatedPair[];
  /** Keys by the tracker's own ids. */
  ids: Map<string, string>;
}

const maxRefusals = 20;
const maxExamples = 5;

const newSurvey = (): Survey => ({
  rows: 0,
  refused: 0,
  refusals: [],
  shortened: new Map(),
  leftOut: new Map(),
  keys: new Map(),
  repeated: 0,
  sameKey: new Map(),
  keyless: 0,
  foreign: new Map(),
  bare: { rows: 0, examples: new Set() },
  respelled: { rows: 0, examples: new Set() },
  hasNumbers: false,
  crossed: new Map(),
  former: new Map(),
  formerRefused: { rows: 0, examples: new Set() },
  numbers: new Map(),
  statuses: new Map(),
  priorities: new Map(),
  people: new Map(),
  labels: new Map(),
  comments: 0,
  subtasks: 0,
  links: new Map(),
  pairs: [],
  ids: new Map(),
});

const add = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
const note = (examples: Examples, example: string) => {
  examples.rows += 1;
  if (examples.examples.size < maxExamples) examples.examples.add(example);
};

/** Counts values that are not imported, in a survey. */
const leftOutOf = ({ leftOut }: Survey): LeftOut => ({
  count(field, why) {
    const reasons = leftOut.get(field) ?? new Map<string, number>();
    leftOut.set(field, reasons);
    add(reasons, why);
  },
});

const countPeople = (survey: Survey, issue: Issue) => {
  for (const name of issue.assignees) add(survey.people, name);
  if (issue.creator !== null) add(survey.people, issue.creator);
};

const countStatus = ({ statuses }: Survey, { status, category }: Issue) => {
  const name = status ?? '';
  const count = statuses.get(name) ?? { rows: 0, categories: { todo: 0, doing: 0, done: 0, unknown: 0 } };
  statuses.set(name, count);
  count.rows += 1;
  count.categories[category ?? 'unknown'] += 1;
};

const countLinks = (survey: Survey, issue: Issue, self: string) => {
  for (const { type, waits, other } of issue.links) {
    add(survey.links, type);
    survey.pairs.push({ type, waiting: waits ? self : other, awaited: waits ? other : self });
  }
};

/** Takes a row's key, unless an earlier row has it. */
const takeKey = (survey: Survey, issue: Issue, identity: Identity, rules: RowRules) => {
  const { keys, numbers } = survey;
  const print = issueFingerprint(issue);
  const taken = keys.get(identity.key);
  if (taken === undefined) {
    keys.set(identity.key, print);
    const ofPrefix = numbers.get(identity.prefix);
    if (ofPrefix) ofPrefix.push(identity.number);
    else numbers.set(identity.prefix, [identity.number]);
    if (issue.id !== null) survey.ids.set(issue.id, identity.key);
    for (const former of issue.former) {
      const earlier = identityBy(former, rules);
      const owner = earlier && survey.former.get(earlier.key);
      if (!earlier || (owner !== undefined && owner !== identity.key)) note(survey.formerRefused, former);
      else if (earlier.key !== identity.key) survey.former.set(earlier.key, identity.key);
    }
    return 'first';
  }
  if (taken === print) {
    survey.repeated += 1;
    return 'repeated';
  }
  add(survey.sameKey, identity.key);
  return 'further';
};

/** Records a key that is no valid identifier. */
const countKey = (survey: Survey, { issue, identity, foreign, isBare }: Row) => {
  if (issue.key === null) return;
  if (identity && !/\p{L}/u.test(issue.key)) survey.hasNumbers = true;
  if (foreign !== undefined) {
    const examples = survey.foreign.get(foreign) ?? { rows: 0, examples: new Set() };
    survey.foreign.set(foreign, examples);
    note(examples, issue.key);
  } else if (isBare) note(survey.bare, issue.key);
  else if (identity && identity.key !== issue.key.toUpperCase()) {
    note(survey.respelled, `${issue.key} is ${identity.key}`);
  }
};

/** Whether a day is before another; the time of a date without one is not known. */
const isBefore = (at: string | null, other: string | null) =>
  at !== null && other !== null && at.slice(0, 10) < other.slice(0, 10);

/** Records rows whose dates are in the future, or contradict each other: two columns may have been confused. */
const noteDates = ({ crossed }: Survey, issue: Issue) => {
  const { place, created_at, updated_at, completed_at, archived_at, due_date, started_at = created_at } = issue;
  const row = `${place.file}:${place.line}`;
  const cross = (what: Crossed) => {
    const examples = crossed.get(what) ?? { rows: 0, examples: new Set() };
    crossed.set(what, examples);
    note(examples, row);
  };
  if (isBefore(completed_at, created_at) || isBefore(archived_at, created_at)) cross('closed');
  if (isBefore(updated_at, created_at)) cross('updated');
  if (isBefore(due_date, started_at)) cross('due');
  if (updated_at !== null && Date.parse(updated_at) > Date.now()) cross('ahead');
};

const countIssue = (survey: Survey, row: Row, rules: RowRules) => {
  const { issue, identity } = row;
  noteDates(survey, issue);
  countKey(survey, row);
  if (identity) {
    const taken = takeKey(survey, issue, identity, rules);
    if (taken === 'repeated') return;
    if (taken === 'first') countLinks(survey, issue, identity.key);
    else
      for (const _ of issue.links)
        leftOutOf(survey).count('links of further rows of a key', 'the first row keeps the key');
  } else {
    survey.keyless += 1;
    for (const _ of issue.links)
      leftOutOf(survey).count('links of rows without a key', 'a link needs a key at both ends');
  }
  countStatus(survey, issue);
  if (issue.priority !== null) add(survey.priorities, issue.priority);
  countPeople(survey, issue);
  for (const label of issue.labels) add(survey.labels, label);
  survey.comments += issue.comments.length;
  survey.subtasks += issue.subtasks.length;
};

/** Reads a source from its start to its end. @throws CliError where a file cannot be read */
export const surveySource = async (source: Source, rules: RowRules): Promise<Survey> => {
  const survey = newSurvey();
  const refuse = (place: Place, problem: string) => {
    survey.refused += 1;
    if (survey.refusals.length < maxRefusals) survey.refusals.push({ place, problem });
  };
  for await (const read of source.read(leftOutOf(survey))) {
    survey.rows += 1;
    if (!('issue' in read)) {
      refuse(read.place, read.problem);
      continue;
    }
    const row = rowOf(read.issue, rules);
    if (row.problem !== undefined) {
      refuse(read.issue.place, row.problem);
      continue;
    }
    for (const what of row.shortened) add(survey.shortened, what);
    countIssue(survey, row, rules);
  }
  for (const key of survey.keys.keys()) {
    if (survey.former.delete(key)) note(survey.formerRefused, key);
  }
  return survey;
};

/**
 * The dependencies of links with the given types, by keys; `reversed` swaps the two ends. A key may belong to an
 * issue that is not in these files.
 */
export const edgesOf = (
  { pairs, ids, hasNumbers }: Survey,
  rules: RowRules,
  meaning: (type: string) => 'dependency' | 'reversed' | 'leave out',
): Edge[] => {
  const byKey = (name: string) => (hasNumbers || /\p{L}/u.test(name) ? identityBy(name, rules)?.key : undefined);
  const keyOf = (name: string) => ids.get(name) ?? byKey(name) ?? name.toUpperCase();
  return pairs.flatMap(({ type, waiting, awaited }): Edge[] => {
    const means = meaning(type);
    if (means === 'leave out') return [];
    const edge: Edge = [keyOf(waiting), keyOf(awaited)];
    return [means === 'reversed' ? [edge[1], edge[0]] : edge];
  });
};
