import type { Comment, Link } from '../issue.ts';
import { type DateRules, readDate } from './dates.ts';
import type { Dialect } from './tabular.ts';

const setHere = 'Cardinal sets it itself';
const noField = 'cards have no such field';
const files = 'files are not in the export, only their addresses';
const inKey = 'the keys say it';

const reasons = (groups: [why: string, columns: string[]][]) => {
  const whyOf = new Map(groups.flatMap(([why, columns]) => columns.map((column) => [column.toLowerCase(), why])));
  return (column: string) => whyOf.get(column.toLowerCase()) ?? noField;
};

/** A comment of Jira: `date;account;text`. Any other form is text as a whole. */
const jiraComment = (cell: string, dates: DateRules): Comment => {
  const [, date = '', author = '', text = ''] = /^([^;\n]{6,40});([^;\n]{0,100});([\s\S]*)$/.exec(cell) ?? [];
  const at = readDate(date, dates);
  return at === undefined ? { author: null, at: null, text: cell } : { author: author.trim() || null, at, text };
};

const jiraLink = (column: string): Omit<Link, 'other'> | undefined => {
  const [, direction, type] = /^(Inward|Outward) issue link \((.+)\)$/i.exec(column) ?? [];
  return type === undefined ? undefined : { type, waits: direction?.toLowerCase() === 'inward' };
};

/** Jira's "Export CSV (all fields)"; a field with several values is several columns of one name. */
const jira: Dialect = {
  columns: {
    title: ['Summary'],
    description: ['Description'],
    key: ['Issue key', 'Key'],
    id: ['Issue id'],
    status: ['Status'],
    category: ['Status Category'],
    priority: ['Priority'],
    due_date: ['Due date'],
    created_at: ['Created'],
    updated_at: ['Updated'],
    completed_at: ['Resolved'],
    creator: ['Reporter', 'Creator'],
    assignees: ['Assignee'],
    labels: ['Labels'],
    comments: ['Comment', 'Comments'],
    parent: ['Parent key', 'Parent', 'Parent id', 'Custom field (Epic Link)'],
  },
  linkOf: jiraLink,
  separators: { labels: /[\s,;]+/, links: /[\s,;]+/ },
  comment: jiraComment,
  days: ['due_date'],
  why: reasons([
    [setHere, ['Last Viewed', 'Votes', 'Watchers', 'Watchers Id']],
    [files, ['Attachment']],
    [inKey, ['Project key', 'Project name', 'Project id', 'Project type', 'Parent summary']],
    [
      'people are taken by their names',
      ['Assignee Id', 'Reporter Id', 'Creator Id', 'Project lead', 'Project lead id'],
    ],
  ]),
};

/** Linear's CSV export. */
const linear: Dialect = {
  columns: {
    title: ['Title'],
    description: ['Description'],
    key: ['ID'],
    id: ['UUID'],
    status: ['Status'],
    priority: ['Priority'],
    due_date: ['Due Date'],
    created_at: ['Created'],
    updated_at: ['Updated'],
    started_at: ['Started'],
    completed_at: ['Completed', 'Canceled'],
    archived_at: ['Archived'],
    creator: ['Creator'],
    assignees: ['Assignee'],
    labels: ['Labels'],
    parent: ['Parent issue'],
  },
  linkOf: (column) => {
    if (/^blocked by$/i.test(column)) return { type: 'Blocks', waits: true };
    if (/^blocks$/i.test(column)) return { type: 'Blocks', waits: false };
    return /^(related to|duplicate of)$/i.test(column) ? { type: column, waits: false } : undefined;
  },
  separators: { labels: /,/, links: /[\s,;]+/ },
  comment: (text) => ({ author: null, at: null, text }),
  why: reasons([
    [inKey, ['Team']],
    [setHere, ['Triaged', 'Time in status (minutes)', 'SLA Status']],
  ]),
};

/** Any table: the user names its columns. */
const csv: Dialect = {
  columns: { title: ['title'] },
  linkOf: () => undefined,
  separators: { labels: /[,;]/, links: /[\s,;|]+/, assignees: /[,;]/ },
  comment: (text) => ({ author: null, at: null, text }),
  why: () => 'no --map names it',
};

/** Trackers that export tables. */
export const dialects = { jira, linear, csv };
