import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scratchFolder } from '@cardinal/testkit';
import { Command } from 'commander';
import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import type { Issue } from '../../src/import/issue.ts';
import { declareOptions, readOptions } from '../../src/import/options.ts';
import { openSource } from '../../src/import/sources/open.ts';
import { writeJiraExport } from './jira-export.ts';

/** All that a source makes of a file, and what it says that it leaves out. */
const readAll = async (name: string, content: string, args: string[]) => {
  const file = join(scratchFolder('left-out'), name);
  await writeFile(file, content);
  const command = declareOptions(new Command()).parse([...args, file], { from: 'user' });
  const source = await openSource(readOptions(command.args, command.opts(), '/'));
  const leftOut: Record<string, number> = {};
  const count = (field: string) => {
    leftOut[field] = (leftOut[field] ?? 0) + 1;
  };
  const issues: (Omit<Issue, 'place'> | string)[] = [];
  for await (const read of source.read({ count })) {
    if ('issue' in read) {
      const { place: _, ...issue } = read.issue;
      issues.push(issue);
    } else issues.push(read.problem);
  }
  await source.close();
  return JSON.stringify([source.name, source.statuses, issues, leftOut]);
};

type Json = null | string | number | boolean | Json[] | { [field: string]: Json };

/** The paths of all fields, those of what is in a list by the list, and the same without one of them. */
const fieldsOf = (value: Json): string[] => {
  if (Array.isArray(value)) return [...new Set(value.flatMap(fieldsOf))];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([field, member]) => [
    field,
    ...fieldsOf(member).map((one) => `${field}.${one}`),
  ]);
};
const isSaid = (value: Json): boolean =>
  value !== null &&
  value !== '' &&
  value !== false &&
  value !== 0 &&
  (typeof value !== 'object' || Object.values(value).some(isSaid));
const without = (value: Json, path: string): { rest: Json; removed: Json[] } => {
  const removed: Json[] = [];
  const walk = (one: Json, at: string): Json => {
    if (Array.isArray(one)) return one.map((item) => walk(item, at));
    if (typeof one !== 'object' || one === null) return one;
    const entries = Object.entries(one).flatMap(([field, member]): [string, Json][] => {
      const here = at === '' ? field : `${at}.${field}`;
      if (here === path) removed.push(member);
      return here === path ? [] : [[field, walk(member, here)]];
    });
    return Object.fromEntries(entries);
  };
  return { rest: walk(value, ''), removed };
};

const exported = (name: string) => readFile(join(import.meta.dirname, 'exports', name), 'utf8');
/** What lists one after the other say already. */
const order = /(^|\.)pos$/;
/** An open issue is what one is that says no state; a pull request is left out as a whole. */
const implied = ['github-rest.json state', 'github-rest.json pull_request.url'];

it.each([
  ['github.json', 'github'],
  ['github-rest.json', 'github'],
  ['trello.json', 'trello'],
])('takes or lists every field of %s', async (name, tracker) => {
  const content = await exported(name);
  const value = JSON.parse(content) as Json;
  const args = ['--from', tracker, '--prefix', 'WEB'];
  const whole = await readAll(name, content, args);
  const silent: string[] = [];
  for (const path of new Set(fieldsOf(value))) {
    const { rest, removed } = without(value, path);
    if (order.test(path) || !removed.some(isSaid)) continue;
    const read = await readAll(name, JSON.stringify(rest), args).catch(() => 'needed');
    const isListed = path
      .split('.')
      .some((_, n, parts) => whole.includes(`"${parts.slice(tracker === 'trello' ? 1 : 0, n + 1).join('.')}":`));
    if (read === whole && !isListed && !implied.includes(`${name} ${path}`)) silent.push(path);
  }
  expect(silent).toEqual([]);
});

it.each(['jira', 'linear'])('takes or lists every column of %s', async (tracker) => {
  const made = async () => readFile((await writeJiraExport(scratchFolder('left-out'), 24)).csv, 'utf8');
  const content = tracker === 'jira' ? await made() : await exported('linear.csv');
  const args = ['--from', tracker];
  const whole = await readAll('a.csv', content, args);
  const [header = [], ...rows]: string[][] = parse(content, { bom: true });
  const columns = [...new Set(header.filter((_, n) => rows.some((row) => row[n]?.trim())))];
  const [head = ''] = content.split('\n', 1);
  const silent: string[] = [];
  for (const column of columns) {
    // The same file, in which nobody knows the column any more: it is listed then, or was before.
    const read = await readAll('a.csv', content.replace(head, head.replaceAll(column, `x${column}`)), args).catch(
      () => 'needed',
    );
    if (read === whole && !whole.includes(`"${column}":`)) silent.push(column);
  }
  expect(columns.length).toBeGreaterThan(10);
  expect(silent).toEqual([]);
});
