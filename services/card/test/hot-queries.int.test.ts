import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { explainEdits } from '../src/cards/edit.ts';
import { lookUpCards, lookUpIdentifiers } from '../src/cards/look-up.ts';
import { readCards } from '../src/cards/read.ts';
import { createCards, createMarkedCards } from '../src/cards/statements/create-cards.ts';
import { editCards, transferCards } from '../src/cards/statements/edit-cards.ts';
import { summarizeCards } from '../src/cards/summaries.ts';
import type { Tx } from '../src/database.ts';
import { markRecorded } from '../src/numbers/recorder.ts';
import { startAlone } from './support/fixture.ts';

const { instance } = await startAlone();

/** The conditions of the indexes by which the plan for unknown values finds rows of a table, and scans without one. */
const scansIn = async (tx: Tx, text: string, tables: string): Promise<string[]> => {
  await sql`set local plan_cache_mode = force_generic_plan`.execute(tx);
  await sql.raw(`prepare hot as ${text}`).execute(tx);
  const { rows: parameters } = await sql<{ count: number }>`
    select cardinality(parameter_types) as count from pg_prepared_statements where name = 'hot'`.execute(tx);
  const values = Array(parameters[0]?.count ?? 0).fill('null');
  const { rows } = await sql.raw<Record<string, string>>(`explain execute hot (${values})`).execute(tx);
  await sql`deallocate hot`.execute(tx);
  const lines = rows.flatMap((row) => Object.values(row));
  const scan = new RegExp(`(Seq|Index|Only|Heap) Scan (using \\w+ )?on (${tables}) `);
  return lines.flatMap((line, at) => {
    if (!scan.test(line)) return [];
    const condition = lines.slice(at + 1, at + 3).find((next) => /(Index|Recheck) Cond: /.test(next));
    const [how = ''] = /\w+ ?\w* Scan .*\w+(?= +\(cost)/.exec(line) ?? [];
    return [`${how}: ${condition?.trim() ?? 'everything'}`];
  });
};

const reads = { explainEdits, lookUpCards, lookUpIdentifiers, readCards, summarizeCards };
const writes = { createCards, createMarkedCards, editCards, transferCards };
const statements = Object.entries({ ...reads, ...writes }).map(([name, { text }]) => [name, text] as const);
/** An index by two equalities, of which one is the workspace. */
const byKey = /Cond: \(\(\w+ = .+\) AND \(\w+ = .+\)\)$/;

/** A thousand workspaces of a board and two cards each, one of them with 2,500 cards in a further column. */
const mostlyTiny = `
  create temp table ids on commit drop as
  select gen_random_uuid() as w, gen_random_uuid() as b, n from generate_series(1, 1000) as n;
  insert into boards (workspace_id, id, name, created_by, visibility, version, created_at, updated_at)
  select w, b, 'Board', w, 'workspace', 1, now(), now() from ids;
  insert into workstreams (workspace_id, id, version, name, prefix) select w, w, 1, 'Main', 'MAIN' from ids;
  insert into columns (workspace_id, id, board_id, name, position, version, created_at, updated_at)
  select w, gen_random_uuid(), b, 'Column', p, 1, now(), now() from ids, generate_series(1, 3) as p where p < 3 or n = 1;
  insert into cards (workspace_id, id, version, board_id, column_id, position, title, created_by, created_at, updated_at,
    workstream_id, identifier)
  select workspace_id, gen_random_uuid(), 1, board_id, id, n, 'Card', workspace_id, now(), now(), workspace_id,
    'MAIN-' || (case position when 3 then n + 2 else position end)
  from columns, generate_series(1, 2500) as n where n = 1 or position = 3;
  analyze boards, workstreams, columns, cards`;

describe('a plan for any workspace finds boards, columns, workstreams and cards by their keys', () => {
  /** The other scans of each statement. */
  const tried = async (prepare: string) => {
    const others: Record<string, string[]> = {};
    await instance.context.db.transaction(async (tx) => {
      await sql.raw(prepare).execute(tx);
      for (const [name, text] of statements) {
        const scans = await scansIn(tx, text, 'boards|columns|workstreams|cards');
        expect(scans.length, name).toBeGreaterThan(1);
        others[name] = scans.filter((scan) => !byKey.test(scan));
      }
    });
    return others;
  };
  const none = Object.fromEntries(statements.map(([name]) => [name, []]));

  it('made while there are none', async () => {
    expect(await tried('select')).toEqual(none);
  });

  it('made where one workspace has most cards, and the others a few', async () => {
    expect(await tried(mostlyTiny)).toEqual(none);
  });
});

it('a plan that was made while nothing was issued finds each mark by its key', async () => {
  const scans = await instance.context.db.transaction((tx) => scansIn(tx, markRecorded.text, 'issued'));
  expect(scans.map((scan) => scan.replace(/:.*/, ''))).toEqual([
    'Index Scan using issued_pkey on issued issued_1',
    'Index Scan using issued_pkey on issued',
  ]);
});
