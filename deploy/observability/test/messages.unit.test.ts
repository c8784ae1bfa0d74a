import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folder } from './expressions.ts';

const repository = join(folder, '../..');
const [, table = ''] = readFileSync(join(folder, 'README.md'), 'utf8').split(
  /^## Messages of 503 and 429$|^## When an alert/m,
);

/** Every message that the code gives an `unavailable` error, `…` for what differs. */
const messages = globSync('{libs,services}/*/src/**/*.ts', { cwd: repository })
  .filter((path) => !path.endsWith('.test.ts'))
  .flatMap((path) => [...readFileSync(join(repository, path), 'utf8').matchAll(/unavailable\((['`])(.+?)\1/g)])
  .map(([, , message = '']) => message.replaceAll(/\$\{[^}]*\}/g, '…'));

it('the README has every message of an answer 503', () => {
  expect(messages.length).toBeGreaterThan(30);
  expect(messages.filter((message) => !table.includes(message))).toEqual([]);
});
