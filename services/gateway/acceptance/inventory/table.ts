import { readFileSync } from 'node:fs';
import type { Route } from './routes.ts';
import type { Show } from './shows.ts';

/** What an acceptance test file, by the name before `.acceptance.test.ts`, saw of each operation. */
export type Recording = Record<string, Show[]>;

/** One line of the inventory's claims: this file shows this of that operation. */
export interface Claim {
  route: string;
  show: Show;
  file: string;
}

export const inventoryFile = new URL('../COVERAGE.md', import.meta.url);

const head = `# What the acceptance tests show of each endpoint

Written by \`npm run coverage -w @cardinal/gateway\` from what the tests' client saw on the wire in their last run. Each
entry is a status and the test file that saw it (\`boards\` is \`boards.acceptance.test.ts\`); a file that runs to its end
without having seen what is claimed of it fails. \`replayed\`: an equal request with the same \`Idempotency-Key\`, answered
with \`Idempotent-Replayed\`. \`repeated\`: the very same request after its success, answered alike or refused.

| endpoint | success | refusals | replay or repeat |
| --- | --- | --- | --- |
`;

export const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method} ${path}`;

const columns = [
  (show: Show) => /^[123]/.test(show),
  (show: Show) => /^[45]/.test(show),
  (show: Show) => /^re/.test(show),
];

/**
 * The inventory's text.
 * @param recordings by test file; where several saw the same, the first in the order of names is cited
 */
export const inventoryText = (routes: readonly Route[], recordings: Record<string, Recording>): string => {
  const files = Object.keys(recordings).sort();
  const line = (route: Route) => {
    const cited = new Map<Show, string>();
    for (const file of files) {
      for (const show of recordings[file]?.[route.operationId] ?? []) if (!cited.has(show)) cited.set(show, file);
    }
    const shows = [...cited.keys()].sort();
    const cells = columns.map((belongs) =>
      shows
        .filter(belongs)
        .map((show) => `${show} ${cited.get(show)}`)
        .join(', '),
    );
    return `| ${[`\`${nameOf(route)}\``, ...cells].join(' | ')} |\n`;
  };
  return head + routes.map(line).join('');
};

/** The rows of the committed inventory: the endpoint and its three cells. */
export const inventoryRows = (): { route: string; cells: string[] }[] =>
  [...readFileSync(inventoryFile, 'utf8').matchAll(/^\| `([^`]+)` \|(.*)\|$/gm)].map(([, route = '', cells = '']) => ({
    route,
    cells: cells.split('|').map((cell) => cell.trim()),
  }));

/** Everything that the committed inventory claims. */
export const claims = (): Claim[] =>
  inventoryRows().flatMap(({ route, cells }) =>
    [...cells.join(', ').matchAll(/((?:replayed |repeated )?\d{3}) ([\w-]+)/g)].map(([, show, file = '']) => ({
      route,
      show: show as Show,
      file,
    })),
  );
