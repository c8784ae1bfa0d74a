// Every file, decision, migration and heading that a document or a comment names exists, and the index of decisions lists
// each. Read here are links of Markdown with their anchors, paths that begin with libs/, services/ or deploy/, names of files
// in backticks, names behind a folder as in (libs/bus, requests/caller.ts), `ADR 12`, `migration 0001`, sections of the contract
// as `CONTRACT` and a number, and headings of libs/ARCHITECTURE.md as `ARCHITECTURE` and a name in quotes. Fenced code, and what
// has a placeholder, is left alone.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && existsSync(file));
const entries = new Set(files.flatMap((file) => file.split('/').map((_, at, all) => all.slice(0, at + 1).join('/'))));
const decisions = new Set(files.flatMap((file) => file.match(/^libs\/contracts\/decisions\/0*(\d+)-/)?.[1] ?? []));

const named = String.raw`[\w@.*-]+(?:/[\w@.*-]+)*\.(?:ts|mjs|sql|md|sh|ya?ml|conf|cfg|svg|tsv)`;
const patterns = {
  link: /(?<!`)\[[^\]]*\]\(([^)\s]+)\)/g,
  path: /(?<![\w./@<-])(?:libs|services|deploy)(?:\/[\w@.-]+)+\/?/g,
  quoted: new RegExp(`\`(${named})\``, 'g'),
  within: new RegExp(
    String.raw`((?:libs|services|deploy)/\w+)(?:\]\([^)]*\))?, (\`?${named}\`?(?:,? (?:and )?\`?${named}\`?)*)`,
    'g',
  ),
  decision: /\b(?:ADRs?|[Dd]ecision) 0*(\d+)\b/g,
  migration: /\bmigration (\d{4})\b/g,
  section: /\bCONTRACT (\d+(?:\.\d+)?)/g,
  heading: /\bARCHITECTURE,\s+"([^"]+)"/g,
};

const isMarkdown = (file) => file.endsWith('.md');
const packageOf = (file) => file.match(/^(?:libs|services|deploy)\/[^/]+\//)?.[0] ?? '';

/** Whose migrations a file means. */
const ownerOf = (file) => (file.startsWith('services/') ? packageOf(file) : '');

/** The text that people read: of a document all but fenced code, of anything else its comments. Lines stay where they are. */
const proseOf = (file, text) => {
  let isFenced = false;
  const lines = text.split('\n').map((line) => {
    if (isMarkdown(file)) {
      if (/^\s*```/.test(line)) {
        isFenced = !isFenced;
        return '';
      }
      return isFenced ? '' : line;
    }
    const comment = /\.(?:ts|mjs)$/.test(file)
      ? /(?:^\s*(?:\/?\*|\/\/)|\s\/\/ |\/\*\*)(.*)/
      : /(?:^\s*(?:#|--)|\s(?:#|--) )(.*)/;
    return line.match(comment)?.[1] ?? '';
  });
  return lines.join('\n');
};

/** What the headings of a document say; none where there is no such document. */
const headingsOf = (file) =>
  files.includes(file)
    ? [...proseOf(file, readFileSync(file, 'utf8')).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading.trim())
    : [];
const sections = new Set(headingsOf('services/gateway/CONTRACT.md').map((heading) => heading.match(/^[\d.]*\d/)?.[0]));
const headings = new Set(headingsOf('libs/ARCHITECTURE.md'));

/** Anchors of a document, as GitHub makes them of its headings. */
const anchorsOf = (file) => {
  const seen = new Map();
  return new Set(
    headingsOf(file).map((heading) => {
      const plain = heading
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .trim()
        .toLowerCase();
      const anchor = plain.replace(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
      const before = seen.get(anchor) ?? 0;
      seen.set(anchor, before + 1);
      return before === 0 ? anchor : `${anchor}-${before}`;
    }),
  );
};

/** Whether some file below a folder has this name; `*` is any part of one. */
const isBelow = (folder, name) => {
  const pattern = name.replaceAll('.', '\\.').replaceAll('**', '\0').replaceAll('*', '[^/]*').replaceAll('\0', '.*');
  const end = new RegExp(`(?:^|/)${pattern}$`);
  return files.some((file) => file.startsWith(folder) && end.test(file));
};

/** Whether there is such a file or folder, or files whose names begin so: what vitest is asked to run is written like that. */
const isThere = (path) => entries.has(path) || files.some((file) => file.startsWith(`${path}.`));

/** Names of files that are not of the repository: of an image, of a server, of a clone. */
const isElsewhere = /^service\/|^postgresql|override/;
/** What speaks of more than the package in which it is: documents of the whole, and libraries, of what uses them. */
const isAboutAll = (file) => packageOf(file) === '' || file.startsWith('libs/');

const linkProblem = (file, target) => {
  if (/^[a-z]+:/.test(target)) return undefined;
  const [path = '', anchor] = target.split('#');
  const to = path === '' ? file : normalize(join(dirname(file), path)).replace(/\/$/, '');
  if (to !== '.' && !entries.has(to)) return `${target} leads nowhere`;
  if (anchor === undefined || !isMarkdown(to)) return undefined;
  return anchorsOf(to).has(anchor) ? undefined : `${target}: ${to} has no such heading`;
};

const problemsIn = (file) => {
  const prose = proseOf(file, readFileSync(file, 'utf8'));
  const problems = [];
  const lineAt = (index) => prose.slice(0, index).split('\n').length;
  const look = (pattern, problem) => {
    for (const match of prose.matchAll(pattern)) {
      const what = problem(match);
      if (what) problems.push(`${file}:${lineAt(match.index)} ${what}`);
    }
  };
  if (isMarkdown(file)) look(patterns.link, ([, target = '']) => linkProblem(file, target));
  look(patterns.path, ({ 0: path, index }) => {
    const bare = path.replace(/[./]+$/, '');
    const isPlaceholder = /example/.test(path) || /[<*{]/.test(prose[index + path.length] ?? '');
    return isPlaceholder || isThere(bare) ? undefined : `${bare} is not there`;
  });
  look(patterns.quoted, ({ 1: name = '', index }) => {
    if (isElsewhere.test(name) || files.includes(name)) return undefined;
    const around = prose
      .split('\n')
      .slice(Math.max(0, lineAt(index) - 2), lineAt(index))
      .join('\n');
    const folders = [packageOf(file), ...(around.match(/\b(?:libs|services|deploy)\/\w+/g) ?? [])];
    const isKnown = isAboutAll(file) ? isBelow('', name) : folders.some((folder) => folder && isBelow(folder, name));
    return isKnown ? undefined : `no file of ${folders.join(', ')} is called ${name}`;
  });
  look(patterns.within, ([, folder = '', names = '']) => {
    const missing = (names.match(new RegExp(named, 'g')) ?? []).filter((name) => !isBelow(`${folder}/`, name));
    return missing.length > 0 ? `${folder} has no ${missing.join(', ')}` : undefined;
  });
  look(patterns.decision, ([, number = '']) => (decisions.has(number) ? undefined : `there is no decision ${number}`));
  look(patterns.migration, ([, number = '']) =>
    files.some((one) => one.startsWith(ownerOf(file)) && one.includes(`/migrations/${number}_`))
      ? undefined
      : `${ownerOf(file) || 'no service'} has no migration ${number}`,
  );
  look(patterns.section, ([, number]) => (sections.has(number) ? undefined : `the contract has no section ${number}`));
  look(patterns.heading, ([, name = '']) =>
    headings.has(name.replace(/\s+/g, ' ')) ? undefined : `libs/ARCHITECTURE.md has no heading "${name}"`,
  );
  return problems;
};

/** Decisions that the index does not list. */
const index = 'libs/contracts/decisions/README.md';
const listed = files.includes(index) ? readFileSync(index, 'utf8') : '';
const unlisted = files
  .filter((file) => /^libs\/contracts\/decisions\/\d/.test(file) && !listed.includes(`(${basename(file)})`))
  .map((file) => `${index} does not list ${basename(file)}`);

const isRead = /(?:\.(?:md|ts|mjs|sql|ya?ml|sh|conf|cfg)|Dockerfile)$/;
const problems = [
  ...unlisted,
  ...files.filter((file) => isRead.test(file) && !/\.gen\.ts$/.test(file)).flatMap(problemsIn),
];
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;
