import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { routes } from './inventory/routes.ts';
import { claims, inventoryRows, nameOf } from './inventory/table.ts';

describe('COVERAGE.md', () => {
  it('has a row for every route and for nothing else', () => {
    expect(inventoryRows().map(({ route }) => route)).toEqual(routes.map(nameOf));
  });

  it.each(inventoryRows().map((row) => [row.route, row.cells] as const))(
    '%s shows a success, refusals, and a replay or repeat',
    (_, cells) => {
      expect(cells).toEqual([
        expect.stringMatching(/^[23]/),
        expect.stringMatching(/^4/),
        expect.stringMatching(/^re/),
      ]);
    },
  );

  it('names test files that exist', () => {
    const files = new Set(claims().map(({ file }) => file));
    const missing = [...files].filter((file) => !existsSync(new URL(`./${file}.acceptance.test.ts`, import.meta.url)));
    expect(missing).toEqual([]);
  });

  it('cites for every keyed write a replay, and for every other a repetition', () => {
    const shown = claims();
    for (const route of routes) {
      const owed = route.needsKey ? 'replayed' : 'repeated';
      const shows = shown.filter((claim) => claim.route === nameOf(route)).map(({ show }) => show);
      expect(shows, nameOf(route)).toContainEqual(expect.stringContaining(owed));
    }
  });
});
