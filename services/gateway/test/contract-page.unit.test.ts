import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorStatus, eventTypes } from '@cardinal/contracts';
import { expect, it } from 'vitest';

const read = (file: string) => readFileSync(join(import.meta.dirname, '..', file), 'utf8');
const page = read('CONTRACT.md');
const document: { paths: object; components: { schemas: object } } = JSON.parse(read('openapi.json'));

const withoutNames = (text: string) => text.replace(/\{[^}]*\}/g, '{}');
const paths = new Set(withoutNames(page).match(/(?:\/[\w{}-]+)+/g));
const wordsOf = (text: string): string[] => text.match(/[A-Za-z][\w-]*/g) ?? [];
const words = new Set(wordsOf(page));

/** The names of all fields, and the texts of all enumerations, in a part of the document. */
const namesIn = (part: unknown): string[] => {
  if (Array.isArray(part)) return part.flatMap(namesIn);
  if (typeof part !== 'object' || part === null) return [];
  const { properties = {}, enum: values = [] } = part as { properties?: object; enum?: unknown[] };
  const texts = values.filter((value) => typeof value === 'string');
  return [...Object.keys(properties), ...texts, ...Object.values(part).flatMap(namesIn)];
};

it('names the path of every operation', () => {
  expect(Object.keys(document.paths).filter((path) => !paths.has(withoutNames(path)))).toEqual([]);
});

it('names every field, value, error and type of event', () => {
  const names = [...namesIn(document.components.schemas), ...Object.keys(errorStatus), ...eventTypes];
  expect([...new Set(names.flatMap(wordsOf))].filter((word) => !words.has(word))).toEqual([]);
});
