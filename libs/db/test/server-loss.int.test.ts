import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@cardinal/servers';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { expect, it, onTestFinished } from 'vitest';
import { answerCommand, appendChanges, type Change, changeOf, findCommand, migrate, replayOf } from '../src/index.ts';
import { eventually, migrations, open, select, workspaceId } from './fixtures.ts';

/** A Postgres of this file's own, which it may kill. */
async function ownPostgres() {
  const dir = mkdtempSync(join(tmpdir(), 'cardinal-db-'));
  // Postgres runs as another user under root.
  chmodSync(dir, 0o755);
  let server = await startPostgres({ dir });
  onTestFinished(async () => {
    await server.stop('SIGQUIT');
    rmSync(dir, { recursive: true });
  });
  const { url, port } = server;
  return {
    url,
    kill: () => server.stop('SIGKILL'),
    restart: async () => {
      server = await startPostgres({ dir, port });
    },
  };
}

const change = (id: string): Change =>
  changeOf({
    type: 'card.created',
    by: { user_id: v7() },
    at: new Date(),
    subject: { type: 'card', id },
    data: {},
  }) as Change;

it('a server killed under load loses nothing that was acknowledged, and work continues after its restart', async () => {
  const postgres = await ownPostgres();
  await migrate({ url: postgres.url, migrations });
  const db = open(postgres.url, { poolSize: 6 });
  const acknowledged: string[] = [];
  const failures: unknown[] = [];
  let running = true;
  onTestFinished(() => {
    running = false;
  });
  /**
   * Works as a service does: claims, answers and appends the change in one transaction, under one id until it succeeds.
   */
  const client = async () => {
    while (running) {
      const id = v7();
      const done = await write(id).catch((error) => failures.push(error));
      if (done === id) acknowledged.push(id);
    }
  };
  const write = (id: string) =>
    db.transaction(async (tx) => {
      const mutation = { workspace_id: workspaceId, command: { id, fingerprint: 'f' } };
      await replayOf(tx, mutation, new Date());
      await answerCommand(tx, mutation, id, new Date());
      await appendChanges(tx, workspaceId, [change(id)]);
      return id;
    });

  const clients = Array.from({ length: 6 }, client);
  await eventually(() => acknowledged.length).toBeGreaterThan(50);
  await postgres.kill();
  await eventually(() => failures.length).toBeGreaterThan(0);
  await postgres.restart();
  const before = acknowledged.length;
  await eventually(() => acknowledged.length).toBeGreaterThan(before + 50);
  running = false;
  await Promise.all(clients);

  for (const error of failures) expect(error).toMatchObject({ code: 'unavailable' });
  const ended = await db.read((tx) => findCommand(tx, workspaceId, { id: String(acknowledged[0]), fingerprint: 'f' }));
  expect(ended).toMatchObject({ ended: true, response: acknowledged[0] });
  const kept = await select<{ id: string }>(db, 'select id from commands where ended_at is not null');
  const keptIds = new Set(kept.map(({ id }) => id));
  expect(acknowledged.filter((id) => !keptIds.has(id))).toEqual([]);
  const noted = await select<{ id: string; seq: number }>(
    db,
    `select seq, event -> 'subject' ->> 'id' as id from changes order by seq`,
  );
  expect(noted.map(({ seq }) => seq)).toEqual(noted.map((_, at) => at + 1));
  expect(new Set(noted.map(({ id }) => id))).toEqual(keptIds);
});

it('the first connection to another server detects it, while those to its predecessor seem to be alive', async () => {
  const [first, second] = [await ownPostgres(), await ownPostgres()];
  const { username, password } = new URL(first.url);
  await select(open(second.url), `alter role ${username} password '${decodeURIComponent(password)}'`);
  let target = first.url;
  // A failover of the address.
  const address = createServer((client) => {
    const server = connect(Number(new URL(target).port), '127.0.0.1');
    for (const socket of [client, server]) socket.on('error', () => {});
    client.pipe(server).pipe(client);
  });
  await new Promise<void>((resolve) => address.listen(0, '127.0.0.1', resolve));
  const through = new URL(first.url);
  through.port = String((address.address() as AddressInfo).port);
  const db = open(through.href, { poolSize: 3 });
  onTestFinished(() => void address.close());
  await db.transaction(async (tx) => {
    await sql`select 1`.execute(tx);
    const before = db.serverGeneration();
    await select(db, 'select 1');
    expect(db.serverGeneration(), 'one more connection to the same server').toBe(before);
    await Promise.all([sql`select 1`.execute(tx), db.transaction((held) => sql`select 1`.execute(held))]);
    target = second.url;
    // The idle connection is used; two at once need a new one.
    await db.transaction(() => select(db, 'select 1'));
    expect(db.serverGeneration()).toBe(before + 1);
  });
});
