import { basename, extname } from 'node:path';
import { z } from 'zod';
import type { Issue, LeftOut, Link, Read, Source } from '../issue.ts';
import { inUtc } from './dates.ts';
import type { Encoding } from './encoding.ts';
import { elementsOf } from './json-elements.ts';
import { countUntaken, type Reasons } from './untaken.ts';

// Fields that are not needed may be absent or null.
const person = z.object({ login: z.string().nullish() }).nullish();
const date = z.iso.datetime({ offset: true }).or(z.literal('')).nullish();
const label = z.union([z.string(), z.object({ name: z.string().nullish() })]);
const other = z.object({ number: z.int() }).nullish();
const others = z.union([z.array(z.unknown()), z.object({ nodes: z.array(z.unknown()) })]).nullish();

/** An issue of `gh issue list --json …` (camel case) or of the REST list (snake case). */
const exported = z.looseObject({
  number: z.int().min(1),
  title: z.string(),
  body: z.string().nullish(),
  state: z.string().nullish(),
  id: z.union([z.string(), z.number()]).nullish(),
  labels: z.array(label).nullish(),
  assignees: z.array(person).nullish(),
  author: person,
  user: person,
  createdAt: date,
  created_at: date,
  updatedAt: date,
  updated_at: date,
  closedAt: date,
  closed_at: date,
  comments: z
    .union([
      z.number(),
      z.array(
        z.looseObject({ author: person, user: person, body: z.string().nullish(), createdAt: date, created_at: date }),
      ),
    ])
    .nullish(),
  pull_request: z.unknown().optional(),
  parent: other,
  blockedBy: others,
  blocking: others,
});
type Exported = z.infer<typeof exported>;

const people = (field: string) => [`${field}.login`];
const taken = new Set([
  ...[
    'number',
    'title',
    'body',
    'state',
    'createdAt',
    'created_at',
    'closedAt',
    'closed_at',
    'labels.name',
    'pull_request',
  ],
  ...['assignees', 'author', 'user', 'comments.author', 'comments.user'].flatMap(people),
  ...[
    'comments.body',
    'comments.createdAt',
    'comments.created_at',
    'parent.number',
    'blockedBy.number',
    'blocking.number',
  ],
  ...['blockedBy.nodes.number', 'blocking.nodes.number'],
]);
const reasons: Reasons = [
  [/^(labels\.)?color$/, 'labels are gray at first'],
  [/^comments$/, 'the REST list has only their number; gh issue list --json …,comments has them'],
  [/^(updatedAt|updated_at)$/, 'Cardinal sets it itself'],
  [
    /^assignee\b|(^|\.)((\w*_)?url|id|node_id|\w+Id|closed|locked|isPinned|type|user_view_type|site_admin|name|is_bot|totalCount|state|title)$|_count$/,
    'what it says is elsewhere already',
  ],
];

/** People in the API's form; `gh api --jq` often outputs their names alone. */
const withPeople = (element: unknown): unknown => {
  if (typeof element !== 'object' || element === null) return element;
  const asPerson = (one: unknown) => (typeof one === 'string' ? { login: one } : one);
  const fields = Object.entries(element).map(([field, value]): [string, unknown] => {
    if (field === 'assignees' && Array.isArray(value)) return [field, value.map(asPerson)];
    return [field, ['author', 'user'].includes(field) ? asPerson(value) : value];
  });
  return Object.fromEntries(fields);
};

const logins = (people: Exported['assignees']) => (people ?? []).flatMap((one) => one?.login || []);

const issueOf = (one: Exported, prefix: string, place: Issue['place']): Issue => {
  const key = (number: number) => `${prefix}-${number}`;
  const closed = one.state?.toLowerCase() === 'closed';
  const closedAt = inUtc(one.closedAt ?? one.closed_at);
  const linked = (type: string, waits: boolean, listed: Exported['blockedBy']): Link[] =>
    (Array.isArray(listed) ? listed : (listed?.nodes ?? [])).flatMap((entry) => {
      const parsed = other.safeParse(entry);
      return parsed.data ? [{ type, waits, other: key(parsed.data.number) }] : [];
    });
  return {
    place,
    id: one.id ? String(one.id) : null,
    key: key(one.number),
    former: [],
    title: one.title,
    description: one.body || null,
    status: closed ? 'Closed' : 'Open',
    category: closed ? 'done' : 'todo',
    priority: null,
    due_date: null,
    created_at: inUtc(one.createdAt ?? one.created_at),
    updated_at: inUtc(one.updatedAt ?? one.updated_at),
    completed_at: closed ? closedAt : null,
    archived_at: null,
    creator: (one.author ?? one.user)?.login || null,
    assignees: logins(one.assignees),
    labels: (one.labels ?? []).flatMap((each) => (typeof each === 'string' ? each : each.name) || []),
    comments: (Array.isArray(one.comments) ? one.comments : []).map((comment) => ({
      author: (comment.author ?? comment.user)?.login || null,
      at: inUtc(comment.createdAt ?? comment.created_at),
      text: comment.body ?? '',
    })),
    subtasks: [],
    links: [
      ...(one.parent ? [{ type: 'Parent', waits: false, other: key(one.parent.number) }] : []),
      ...linked('Blocks', true, one.blockedBy),
      ...linked('Blocks', false, one.blocking),
    ],
  };
};

/** Issues of a repository, without pull requests; the user chooses a prefix for their numbers. */
export const openGithub = (files: string[], prefix: string, encoding: Encoding | undefined): Source => ({
  name: basename(files[0] ?? '', extname(files[0] ?? '')),
  statuses: ['Open', 'Closed'],
  notes: [],
  async *read(leftOut: LeftOut): AsyncGenerator<Read> {
    for (const file of files) {
      let line = 0;
      // `gh api --paginate --slurp` has an array for each page.
      for await (const found of elementsOf(file, encoding)) {
        for (const element of [found].flat().map(withPeople)) {
          line += 1;
          const place = { file: basename(file), line };
          const parsed = exported.safeParse(element);
          if (!parsed.success) {
            const [issue] = parsed.error.issues;
            yield { place, problem: `it is no issue of GitHub: ${issue?.path.join('.')} ${issue?.message}` };
          } else if (parsed.data.pull_request) {
            leftOut.count('pull requests', 'they are no issues; their numbers stay free');
          } else {
            countUntaken(element, { taken, reasons, within: '' }, leftOut);
            yield { issue: issueOf(parsed.data, prefix, place) };
          }
        }
      }
    }
  },
  close: async () => {},
});
