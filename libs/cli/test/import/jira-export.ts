import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** A made-up export of Jira, in the form of "Export CSV (all fields)": nothing in it is anybody's. */
export interface JiraExport {
  csv: string;
  /** A list of earlier keys, `key,former`. */
  former: string;
  issues: number;
}

const people = ['Ada Lovelace', 'Grace Hopper', 'Barbara Liskov'];
const statuses = [
  ['To Do', 'To Do'],
  ['In Progress', 'In Progress'],
  ['In Review', 'In Progress'],
  ['Done', 'Done'],
] as const;
const priorities = ['Highest', 'High', 'Medium', 'Low'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const formerProjects = ['OLD', 'SHOP', 'LEGACY'];

const header = [
  'Summary',
  'Issue key',
  'Issue id',
  'Issue Type',
  'Status',
  'Project key',
  'Project name',
  'Priority',
  'Resolution',
  'Assignee',
  'Assignee Id',
  'Reporter',
  'Created',
  'Updated',
  'Resolved',
  'Due date',
  'Labels',
  'Labels',
  'Description',
  'Watchers',
  'Sprint',
  'Attachment',
  'Outward issue link (Blocks)',
  'Inward issue link (Blocks)',
  'Outward issue link (Relates)',
  'Custom field (Story Points)',
  'Comment',
  'Comment',
  'Parent',
  'Parent key',
  'Status Category',
];

const quoted = (cell: string) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
const two = (n: number) => String(n).padStart(2, '0');

/** As the user's format and zone have it: `25/Feb/26 10:17 PM`. */
const jiraDate = (ms: number) => {
  const at = new Date(ms);
  const hour = at.getUTCHours();
  const day = `${two(at.getUTCDate())}/${months[at.getUTCMonth()]}/${two(at.getUTCFullYear() % 100)}`;
  return `${day} ${hour % 12 || 12}:${two(at.getUTCMinutes())} ${hour < 12 ? 'AM' : 'PM'}`;
};

const start = Date.UTC(2023, 0, 29);
const hour = 3_600_000;

/** Issue n: WEB-n but for each eleventh, which was never made; each third came from another project. */
const rowOf = (n: number, key: (n: number) => string): string => {
  const [status, category] = statuses[n % statuses.length] ?? statuses[0];
  const created = start + n * 7 * hour;
  const done = category === 'Done';
  const cells = [
    `Pay "${key(n)}" out, part ${n}`,
    ...[key(n), `${10_000 + n}`, n % 5 === 0 ? 'Bug' : 'Story', status, 'WEB', 'Website'],
    priorities[n % priorities.length] ?? '',
    done ? 'Done' : '',
    people[n % people.length] ?? '',
    `5b10ac8d82e05b22cc7d4e${two(n % people.length)}`,
    people[(n + 1) % people.length] ?? '',
    ...[jiraDate(created), jiraDate(created + 50 * hour), done ? jiraDate(created + 40 * hour) : ''],
    n % 6 === 0 ? `${two((n % 27) + 1)}/Mar/26 12:00 AM` : '',
    ...['payments', n % 4 === 0 ? 'ux' : ''],
    `h2. Why\n{code}it broke, "again"{code}\nSee ${key(Math.max(1, n - 1))}.`,
    ...[
      `${n % 9}`,
      n % 2 === 0 ? 'Sprint 4' : '',
      n % 10 === 0 ? `${jiraDate(created)};5b10ac;log.txt;https://jira.example/log.txt` : '',
    ],
    ...[
      n % 8 === 0 ? key(n + 1) : '',
      n % 12 === 0 ? key(n - 1) : '',
      n % 16 === 0 ? key(n - 2) : '',
      n % 3 === 0 ? '5.0' : '',
    ],
    n % 3 === 0 ? `${jiraDate(created + hour)};5b10ac8d82e05b22cc7d4e01;Reproduced; see ${key(n)}` : '',
    n % 6 === 0 ? `${jiraDate(created + 2 * hour)};5b10ac8d82e05b22cc7d4e02;"Fixed"\nin the next release` : '',
    ...[n % 7 === 0 ? `${10_000 + n - 1}` : '', n % 7 === 0 ? key(n - 1) : '', category],
  ];
  return `${cells.map(quoted).join(',')}\n`;
};

const keyOf = (n: number) => `WEB-${n + Math.floor(n / 10)}`;

/** Rows of an export of so many issues, the header first. */
export function* jiraRows(issues: number): Generator<string> {
  yield `${header.join(',')}\n`;
  for (let n = 1; n <= issues; n += 1) yield rowOf(n, keyOf);
}

/** The earlier keys of each third issue, each from one of three projects. */
const formerRows = (issues: number) =>
  Array.from({ length: Math.floor(issues / 3) }, (_, n) => {
    const issue = (n + 1) * 3;
    return `${keyOf(issue)},${formerProjects[n % formerProjects.length]}-${n + 1}\n`;
  });

/** Writes an export and its list of earlier keys into a folder. */
export const writeJiraExport = async (folder: string, issues: number): Promise<JiraExport> => {
  const [csv, former] = [join(folder, 'jira.csv'), join(folder, 'former.csv')];
  await pipeline(Readable.from(jiraRows(issues)), createWriteStream(csv));
  await writeFile(former, `key,former\n${formerRows(issues).join('')}`);
  return { csv, former, issues };
};

const [, main, folder, issues = '300'] = process.argv;
if (main === import.meta.filename && folder !== undefined) await writeJiraExport(folder, Number(issues));
