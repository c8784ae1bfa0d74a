/**
 * What a page of a filtered list costs on boards of 10,000, 100,000 and 1,000,000 cards: `npm run bench -w @cardinal/card`.
 * All boards are asked in turn, on one Postgres started for it. Each filter matches three cards at the end of the order
 * (sparse), every second card (dense), or is one of two that match half of the board each and hardly ever meet.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CardFilters } from '@cardinal/contracts';
import { type Database, migrate, openDatabase } from '@cardinal/db';
import { ensureExtensions, ensureRole, startPostgres } from '@cardinal/servers';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import type { Tables } from '../../src/database.ts';
import { migrations } from '../../src/migrations/index.ts';
import { readWholePage } from '../support/whole-pages.ts';

const sizes = [10_000, 100_000, 1_000_000];
const rounds = 50;
const warmUp = 5;
const limit = 50;

/** The ids by which cards are marked. */
const marks = () => ({ sparse: v7(), dense: v7(), half: v7(), tail: v7(), sparseUser: v7(), denseUser: v7() });

interface Board extends ReturnType<typeof marks> {
  workspaceId: string;
  boardId: string;
  workstreams: { sparse: string; dense: string };
}

/** A board of four columns with as many cards each. Cards are numbered in the order of the list. */
const fill = async (db: Database<Tables>, size: number): Promise<Board> => {
  const board: Board = { ...marks(), workspaceId: v7(), boardId: v7(), workstreams: { sparse: v7(), dense: v7() } };
  const { workspaceId, boardId, workstreams } = board;
  const user = v7();
  const run = (statement: ReturnType<typeof sql>) => db.transaction((tx) => statement.execute(tx));
  await run(sql`
    insert into boards (workspace_id, id, version, name, visibility, created_by, created_at, updated_at)
    values (${workspaceId}, ${boardId}, 1, 'Board', 'workspace', ${user}, now(), now())`);
  await run(sql`
    insert into columns (workspace_id, id, version, board_id, name, position, created_at, updated_at)
    select ${workspaceId}, gen_random_uuid(), 1, ${boardId}, 'Column', n, now(), now() from generate_series(0, 3) as n`);
  await run(sql`
    insert into workstreams (workspace_id, id, version, name, prefix)
    values (${workspaceId}, ${workstreams.sparse}, 1, 'S', 'S'), (${workspaceId}, ${workstreams.dense}, 1, 'D', 'D')`);
  await run(sql`
    insert into cards (workspace_id, id, version, board_id, column_id, position, title, description, created_by, created_at,
      updated_at, workstream_id, identifier, label_ids, assignee_user_ids, priority, due_date, completed_at, archived_at)
    select ${workspaceId}, gen_random_uuid(), 1, ${boardId}, columns.id, n,
      case when last then 'A needle for ' else 'Something to do about ' end || case when n % 2 = 0 then 'number ' else 'item ' end || n,
      repeat('What is to be done here. ', 8), ${user}, now(), now(),
      case when last then ${workstreams.sparse}::uuid else ${workstreams.dense}::uuid end, 'C-' || n,
      case when last then array[${board.sparse}::uuid] else '{}' end
        || case when n % 2 = 0 then array[${board.dense}::uuid] else '{}' end
        || case when n % 2 = 1 then array[${board.half}::uuid] else '{}' end
        || case when n > ${size} / 2 then array[${board.tail}::uuid] else '{}' end,
      case when last then array[${board.sparseUser}::uuid] else array[${board.denseUser}::uuid] end,
      case when last then 'super_urgent' when n % 2 = 0 or n = ${size} - 7 then 'important' end,
      case when last then timestamptz '2026-01-01' when n % 2 = 0 then timestamptz '2027-01-01' + n * interval '1 s' end,
      case when last or n % 2 = 0 then now() end,
      case when last and n = ${size} then now() end
    from (select n, n > ${size} - 3 as last from generate_series(1, ${size}::int) as n) as numbers
    join columns on columns.board_id = ${boardId} and columns.position = (n - 1) * 4 / ${size}`);
  // The last cards wait for those before them, of which those with an even number are completed.
  await run(sql`
    insert into card_dependencies (workspace_id, card_id, depends_on_card_id, version, present)
    select ${workspaceId}, card.id, other.id, 1, true
    from cards as card join cards as other on other.column_id = card.column_id and other.position = card.position - 1
    where card.board_id = ${boardId} and other.board_id = ${boardId} and card.position > ${size} - 5`);
  return board;
};

/** The filters by name, as they are on a board. */
const cases: Record<string, (board: Board) => Partial<CardFilters>> = {
  'no filter': () => ({}),
  'label, sparse': ({ sparse }) => ({ label_id: sparse }),
  'label, dense': ({ dense }) => ({ label_id: dense }),
  'label, second half of the order': ({ tail }) => ({ label_id: tail }),
  'label, of nothing': () => ({ label_id: v7() }),
  'assignee, sparse': ({ sparseUser }) => ({ assignee_user_id: sparseUser }),
  'assignee, dense': ({ denseUser }) => ({ assignee_user_id: denseUser }),
  'q, sparse': () => ({ q: 'needle' }),
  'q, dense': () => ({ q: 'number' }),
  'q, of nothing': () => ({ q: 'haystack' }),
  'workstream, sparse': ({ workstreams }) => ({ workstream_id: workstreams.sparse }),
  'workstream, dense': ({ workstreams }) => ({ workstream_id: workstreams.dense }),
  'priority, sparse': () => ({ priority: 'super_urgent' }),
  'priority, dense': () => ({ priority: 'important' }),
  'due_before, sparse': () => ({ due_before: '2026-06-01T00:00:00Z' }),
  'due_after, dense': () => ({ due_after: '2026-06-01T00:00:00Z' }),
  'blocked, sparse': () => ({ blocked: true }),
  'not blocked, dense': () => ({ blocked: false }),
  'completed, dense': () => ({ completed: true }),
  'archived, sparse': () => ({ archived: true }),
  'sparse label, dense q': ({ sparse }) => ({ label_id: sparse, q: 'for' }),
  'dense label, sparse q': ({ dense }) => ({ label_id: dense, q: 'needle' }),
  'dense label and priority that meet once': ({ half }) => ({ label_id: half, priority: 'important' }),
  'dense q and priority that meet once': () => ({ q: 'item', priority: 'important' }),
};

const median = (values: number[]) => values.toSorted((one, other) => one - other)[values.length >> 1] as number;

const measure = async (db: Database<Tables>, { workspaceId, boardId }: Board, filters: Partial<CardFilters>) => {
  const listing = { workspaceId, boardId, filters: { archived: false, ...filters }, after: undefined, limit };
  const begin = performance.now();
  await readWholePage(db.read, listing);
  return performance.now() - begin;
};

const dir = mkdtempSync(join(tmpdir(), 'cardinal-bench-'));
const postgres = await startPostgres({ dir, settings: { fsync: 'off', shared_buffers: '1GB', max_wal_size: '8GB' } });
try {
  await ensureExtensions(postgres.url);
  const url = await ensureRole(postgres.url, 'card', 'card');
  await migrate({ url, migrations });
  const db = openDatabase<Tables>({ url, name: 'bench', poolSize: 1, statementTimeoutMs: 600_000 });
  const boards: Board[] = [];
  for (const size of sizes) boards.push(await fill(db, size));
  for (const table of ['cards', 'columns', 'card_dependencies'])
    await db.read((tx) => sql`vacuum analyze ${sql.table(table)}`.execute(tx));
  process.stdout.write(
    `${'a page of 50, median ms of 50'.padEnd(44)}${sizes.map((size) => String(size).padStart(10)).join('')}     ratio\n`,
  );
  for (const [name, filtersOf] of Object.entries(cases)) {
    const times = boards.map((): number[] => []);
    for (let round = 0; round < warmUp + rounds; round += 1) {
      for (const [at, board] of boards.entries()) {
        const took = await measure(db, board, filtersOf(board));
        if (round >= warmUp) times[at]?.push(took);
      }
    }
    const medians = times.map(median);
    const cells = [...medians, (medians.at(-1) as number) / (medians[0] as number)].map((cell) =>
      cell.toFixed(2).padStart(10),
    );
    process.stdout.write(`${name.padEnd(44)}${cells.join('')}\n`);
  }
  await db.close();
} finally {
  await postgres.stop();
  rmSync(dir, { recursive: true, force: true });
}
