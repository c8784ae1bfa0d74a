/**
 * What a new dependency costs in a graph of 100,000 and in an empty one: `npm run bench -w @cardinal/dependency`. Both are
 * measured in turn, on one Postgres started for it, by what a PUT runs.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, migrate, openDatabase } from '@cardinal/db';
import { ensureRole, startPostgres } from '@cardinal/servers';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import type { Tables } from '../../src/context.ts';
import { addEdges } from '../../src/graph/add.ts';
import { removeEdge } from '../../src/graph/remove.ts';
import type { Edge } from '../../src/graph/rules.ts';
import { migrations } from '../../src/migrations/index.ts';

/** Each card of a filled graph depends on so many. */
const perCard = 5;
const large = 20_000;
const small = 400;
const rounds = 400;
const warmUp = 50;

const add = (db: Database<Tables>, workspaceId: string, edge: Edge) =>
  addEdges(db, workspaceId, [{ ...edge, requestId: 'bench' }]);

/**
 * Two graphs side by side, each a thick chain as deep as it has cards, whose cards take turns in the order: nothing in
 * one depends on the other.
 */
const fill = async (db: Database<Tables>, workspaceId: string, cardCount: number): Promise<string[]> => {
  const ids = Array.from({ length: cardCount }, () => v7());
  const edges = ids.flatMap((card_id, at) =>
    Array.from({ length: perCard }, (_, step) => ({ card_id, depends_on_card_id: ids[at - 2 * (step + 1)] })).filter(
      (edge) => edge.depends_on_card_id !== undefined,
    ),
  );
  await db.transaction(async (tx) => {
    await sql`
      insert into workspaces (workspace_id, last_change, first_position, last_position)
      values (${workspaceId}, ${cardCount * perCard}, 1, ${cardCount})`.execute(tx);
    await sql`
      insert into cards (workspace_id, id, position)
      select ${workspaceId}, id, at from unnest(${ids}::uuid[]) with ordinality as card (id, at)`.execute(tx);
    await sql`
      insert into edges (workspace_id, card_id, depends_on_card_id, version, created_at)
      select ${workspaceId}, card_id, depends_on_card_id, version, now()
      from unnest(
        ${edges.map((edge) => edge.card_id)}::uuid[],
        ${edges.map((edge) => edge.depends_on_card_id)}::uuid[]
      ) with ordinality as edge (card_id, depends_on_card_id, version)`.execute(tx);
  });
  for (const table of ['cards', 'edges']) await db.transaction((tx) => sql`analyze ${sql.table(table)}`.execute(tx));
  return ids;
};

/** A workspace that has cards in the order and no dependency. */
const empty = async (db: Database<Tables>, workspaceId: string): Promise<[string, string]> => {
  const [card_id, depends_on_card_id] = [v7(), v7()];
  await add(db, workspaceId, { card_id, depends_on_card_id });
  await db.transaction((tx) =>
    removeEdge(tx, { workspaceId, card_id, depends_on_card_id, requestId: 'bench' }, new Date()),
  );
  return [card_id, depends_on_card_id];
};

/** Milliseconds that adding takes; the dependency is gone afterwards. */
const measure = async (db: Database<Tables>, workspaceId: string, edge: Edge): Promise<number> => {
  const begin = performance.now();
  const [addition] = await add(db, workspaceId, edge);
  const took = performance.now() - begin;
  if (addition?.result !== 'added') throw new Error(`measured what was not added: ${addition?.result}`);
  await db.transaction((tx) => removeEdge(tx, { workspaceId, ...edge, requestId: 'bench' }, new Date()));
  return took;
};

const median = (values: number[]) => values.toSorted((one, other) => one - other)[values.length >> 1] as number;
const random = (below: number) => Math.floor(Math.random() * below);

type Pick = (ids: string[]) => Edge;

/** Existing cards, `distance` places apart; a card of an odd distance is one of the other graph. */
const apart =
  (distance: number): Pick =>
  (ids) => {
    const at = Math.max(0, -distance) + random(ids.length - Math.abs(distance));
    return { card_id: ids[at] as string, depends_on_card_id: ids[at + distance] as string };
  };
const newCards: Pick = () => ({ card_id: v7(), depends_on_card_id: v7() });

/** A graph to add to, and what is added. */
interface Setting {
  workspaceId: string;
  next: () => Edge;
}
const filled = async (db: Database<Tables>, cardCount: number, pick: Pick): Promise<Setting> => {
  const workspaceId = v7();
  const ids = await fill(db, workspaceId, cardCount);
  return { workspaceId, next: () => pick(ids) };
};
const bare = async (db: Database<Tables>, pick?: Pick): Promise<Setting> => {
  const workspaceId = v7();
  const [card_id, depends_on_card_id] = await empty(db, workspaceId);
  return { workspaceId, next: () => pick?.([]) ?? { card_id, depends_on_card_id } };
};

const compare = async (db: Database<Tables>, name: string, one: Setting, other: Setting) => {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < warmUp + rounds; round += 1) {
    const took = [await measure(db, one.workspaceId, one.next()), await measure(db, other.workspaceId, other.next())];
    if (round < warmUp) continue;
    times[0].push(took[0] as number);
    times[1].push(took[1] as number);
  }
  const [before, after] = [median(times[0]), median(times[1])];
  const cells = [before.toFixed(2), after.toFixed(2), (after / before).toFixed(2)].map((cell) => cell.padStart(8));
  process.stdout.write(`${name.padEnd(62)}${cells.join('')}\n`);
};

const dir = mkdtempSync(join(tmpdir(), 'cardinal-bench-'));
const postgres = await startPostgres({ dir });
try {
  const url = await ensureRole(postgres.url, 'dependency', 'dependency');
  await migrate({ url, migrations });
  const db = openDatabase<Tables>({ url, name: 'bench', poolSize: 1 });
  process.stdout.write(`a new dependency, median ms of ${rounds}, beside the ratio\n`);
  await compare(db, 'new cards: no edges, 100,000 edges', await bare(db, newCards), await filled(db, large, newCards));
  const harmony = apart(-101);
  await compare(db, 'with the order: no edges, 100,000 edges', await bare(db), await filled(db, large, harmony));
  for (const distance of [21, 201]) {
    const name = `against it, ${distance + 1} cards affected: 2,000 edges, 100,000 edges`;
    const against = apart(distance);
    await compare(db, name, await filled(db, small, against), await filled(db, large, against));
  }
  await db.close();
} finally {
  await postgres.stop();
  rmSync(dir, { recursive: true, force: true });
}
