import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { recordingsFolder } from './recordings.ts';
import { routes } from './routes.ts';
import { inventoryFile, inventoryText } from './table.ts';

/** What these see depends on who comes first or what dies when: nothing to build a claim on. */
const leftToChance = ['concurrency', 'crash', 'failpoints', 'files-crash', 'two-of-each'];

const isThere = (file: string) => existsSync(new URL(`../${file}.acceptance.test.ts`, import.meta.url));

const files = readdirSync(recordingsFolder)
  .map((name) => name.replace('.json', ''))
  .filter((file) => isThere(file) && !leftToChance.includes(file));
const recordings = Object.fromEntries(
  files.map((file) => [file, JSON.parse(readFileSync(new URL(`${file}.json`, recordingsFolder), 'utf8'))]),
);
writeFileSync(inventoryFile, inventoryText(routes, recordings));
