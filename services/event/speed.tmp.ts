import { migrate, openDatabase } from '@cardinal/db';
import { ensureRole, runStatements, startPostgres } from '@cardinal/servers';
import { sql } from 'kysely';
import { v4, v7 } from 'uuid';
import { append, findLogs, lockLogs } from './src/log/append.ts';
import { createDays } from './src/log/days.ts';
import { readCardEvents, readEvents, readRaw } from './src/log/read.ts';
import { migrations } from './src/migrations/index.ts';

const total = Number(process.argv[2] ?? 10_000_000);
const pg = await startPostgres({
  dir: '/tmp/eventlog-speed',
  settings: {
    fsync: 'off',
    full_page_writes: 'off',
    shared_buffers: '512MB',
    max_wal_size: '8GB',
    wal_level: 'minimal',
    max_wal_senders: '0',
  },
});
try {
  const url = await ensureRole(pg.url, 'event', 'event');
  await migrate({ url, migrations });
  await runStatements(pg.url, ['alter role cardinal_event reset statement_timeout']);
  const db = openDatabase<any>({ url, name: 'speed', statementTimeoutMs: 600_000 });
  await createDays(db).ahead(new Date());
  const start = Date.now();
  const fill = async (ws: string, count: number) => {
    await db.transaction(async (tx) => {
      for (let day = 29; day >= 0; day -= 1) {
        const date = new Date(Date.now() - day * 86_400_000).toISOString().slice(0, 10);
        const next = new Date(Date.now() - (day - 1) * 86_400_000).toISOString().slice(0, 10);
        const name = `events_${date.replaceAll('-', '_')}`;
        await sql
          .raw(`create table if not exists ${name} partition of events for values from ('${date}') to ('${next}')`)
          .execute(tx);
      }
    });
    const per = count / 30;
    for (let day = 0; day < 30; day += 1) {
      const date = new Date(Date.now() - (29 - day) * 86_400_000).toISOString().slice(0, 10);
      const [from, to] = [Math.round(day * per) + 1, Math.round((day + 1) * per)];
      await db.statement((tx) => sql`insert into days values (${ws}, ${date}, ${from})`.execute(tx));
      await db.statement((tx) =>
        sql`
        insert into events (workspace_id, seq, logged_on, id, type, card_id, board_id, source, source_seq, event)
        select ${ws}::uuid, n, ${date}::date, gen_random_uuid(), case when n % 100000 = 7 then 'label.deleted' else 'card.updated' end,
          ('00000000-0000-7000-8000-' || lpad((n % 50000)::text, 12, '0'))::uuid,
          ('00000000-0000-7000-9000-' || lpad((n % 50)::text, 12, '0'))::uuid, 'card', n,
          ('{"id":"0197c2f0-8d5e-7c41-9a3b-5f0c1d2e3a4b","seq":' || n || ',"type":"card.updated","data":"' || repeat('x', 300) || '"}')::json
        from generate_series(${from}::bigint, ${to}::bigint) as n`.execute(tx),
      );
    }
    await db.statement((tx) =>
      sql`insert into logs (workspace_id, last, logged_on) values (${ws}, ${count}, now())`.execute(tx),
    );
  };
  const [small, big] = [v7(), v7()];
  const there = await db.read((tx) => sql<any>`select workspace_id, last from logs order by last`.execute(tx));
  const names = there.rows.length === 2 ? there.rows.map((r: any) => r.workspace_id) : [small, big];
  if (there.rows.length < 2) {
    await fill(small, 10_000);
    await fill(big, total);
    await db.statement((tx) => sql`vacuum analyze events`.execute(tx));
  }
  console.log('filled', Date.now() - start, 'ms', names);
  const size = await db.read((tx) =>
    sql<any>`select pg_size_pretty(pg_database_size(current_database())) s`.execute(tx),
  );
  console.log(size.rows[0].s);
  const time = async (what: string, reading: any, times = 200) => {
    const run = () => db.read((tx) => readRaw(tx, reading));
    const first = performance.now();
    let r = await run();
    const cold = performance.now() - first;
    for (let i = 0; i < 20; i += 1) await run();
    const ts: number[] = [];
    for (let i = 0; i < times; i += 1) {
      const t = performance.now();
      r = await run();
      ts.push(performance.now() - t);
    }
    ts.sort((a, b) => a - b);
    console.log(
      what.padEnd(45),
      `first ${cold.toFixed(2)} ms, median ${ts[times >> 1]!.toFixed(2)} ms, events ${r.events.length}, through ${r.through}`,
    );
  };
  for (const [name, ws, n] of [
    ['10k', names[0], 10_000],
    ['big', names[1], total],
  ] as const) {
    await time(`${name}: first page of 50`, { workspaceId: ws, after: undefined, limit: 51 });
    await time(`${name}: middle page of 50`, { workspaceId: ws, after: Math.round(n / 2), limit: 51 });
    await time(`${name}: last page of 50`, { workspaceId: ws, after: n - 50, limit: 51 });
    await time(`${name}: nothing new`, { workspaceId: ws, after: n, limit: 51 });
    await time(`${name}: page of 1000`, { workspaceId: ws, after: Math.round(n / 3), limit: 1000 });
    await time(`${name}: a card's first page`, {
      workspaceId: ws,
      after: undefined,
      limit: 51,
      card_id: '00000000-0000-7000-8000-000000000077',
    });
    await time(`${name}: one board of 50`, {
      workspaceId: ws,
      after: Math.round(n / 2),
      limit: 51,
      board_id: '00000000-0000-7000-9000-000000000007',
    });
    await time(
      `${name}: rare type, one step of 200k`,
      { workspaceId: ws, after: 0, limit: 51, types: 'label.*', span: 200_000 },
      20,
    );
  }
  for (const st of [readEvents, readCardEvents]) {
    const card = st === readCardEvents;
    const values = `'${names[1]}', ${total / 2}, ${total / 2 + 10000}, 51, null, null, '{}'${card ? ", '00000000-0000-7000-8000-000000000077'" : ''}`;
    await db.transaction(async (tx) => {
      await sql.raw('set local plan_cache_mode = force_generic_plan').execute(tx);
      await sql
        .raw(
          `prepare p${card ? 2 : 1} (uuid, bigint, bigint, bigint, text[], uuid[], uuid[]${card ? ', uuid' : ''}) as ${st.text}`,
        )
        .execute(tx);
      const { rows } = await sql
        .raw<any>(`explain (analyze, buffers) execute p${card ? 2 : 1} (${values})`)
        .execute(tx);
      console.log(
        rows
          .map((r: any) => r['QUERY PLAN'])
          .filter((l: string) => !/never executed/.test(l))
          .join('\n'),
      );
    });
  }
  // appends
  for (const [workspaces, events] of [
    [1, 1],
    [1, 100],
    [200, 1],
    [200, 10],
    [50, 100],
  ] as const) {
    const ids = Array.from({ length: workspaces }, () => v7());
    const make = () => ({
      id: v4(),
      type: 'card.updated' as const,
      card_id: v4(),
      board_id: v4(),
      other_board_id: null,
      source: 'card' as const,
      source_seq: 1,
      event: `{"id":"${v4()}","type":"card.updated","data":"${'x'.repeat(700)}"}`,
    });
    const until = performance.now() + 4_000;
    let count = 0;
    let rounds = 0;
    while (performance.now() < until) {
      const logs = await db.read((tx) => findLogs(tx, ids));
      await db.transaction(async (tx) => {
        await lockLogs(tx, ids);
        await append(
          tx,
          ids.map((id) => {
            const log = logs.get(id)!;
            return { log: { ...log, last: log.last + events }, events: Array.from({ length: events }, make) };
          }),
        );
      });
      count += workspaces * events;
      rounds += 1;
    }
    console.log(
      `append ${workspaces} logs x ${events}: ${(count / 4).toFixed(0)} events/s, ${(rounds / 4).toFixed(0)} rounds/s`,
    );
  }
  await db.close();
} finally {
  await pg.stop('SIGINT');
}
