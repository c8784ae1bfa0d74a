/**
 * Measures what one workspace's attacks do to another's reads. Needs a running Cardinal whose development key it may
 * use, the one of `npm start`, whose folder `--state` names:
 *
 *     PORT=18080 npm start
 *     npm run starve -w @cardinal/gateway -- --port 18080
 *
 * Quiet and attacked legs alternate, so that a busy machine harms both alike. Each attack runs in a process of its own.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { createHistogram } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ensureKeys } from '@cardinal/servers';
import { v7 } from 'uuid';
import { attacks, type Target } from './attacks.ts';

const { values: options } = parseArgs({
  options: {
    port: { type: 'string', default: '8080' },
    state: {
      type: 'string',
      default: join(import.meta.dirname, '../../../../.cardinal'),
    },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '10' },
    /** Only attacks whose name has this in it. */
    only: { type: 'string', default: '' },
    /** The name of one attack, and what it needs, in a process of its own. */
    attack: { type: 'string' },
    target: { type: 'string' },
  },
});

const scope = 'kanban:read kanban:write kanban:admin';
const clients = 8;
/** Readers, so many that no one's rate limit ends the measurement. */
const readers = 64;
const warmUpMs = 1_000;
const nanoseconds = 1e6;

const runAttack = (name: string, target: Target) => {
  const counts = new Map<number | string, number>();
  attacks[name]?.(target, counts);
  process.on('disconnect', () => process.exit());
  process.on('message', () => process.send?.([...counts].map(([answer, count]) => `${answer}: ${count}`).join(', ')));
};

const port = Number(options.port);
const baseUrl = `http://127.0.0.1:${port}/api/kanban/v1`;

const creator = (token: string) => async (path: string, body: object) => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': v7() };
  const response = await fetch(baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (response.status !== 201) throw new Error(`POST ${path} answered ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { data: { id: string } }).data.id;
};

/** A workspace with one board of cards. */
const workspaceOf = async (token: string, cards: number, description: string) => {
  const create = creator(token);
  const board = await create('/boards', { name: 'Starving' });
  const column = await create(`/boards/${board}/columns`, { name: 'All' });
  let card = '';
  for (let at = 0; at < cards; at += 1) card = await create(`/columns/${column}/cards`, { title: 'a', description });
  return { board, card };
};

/** Reads a card as fast as it is answered on each of eight connections; milliseconds. */
const measure = async (tokens: string[], card: string, seconds: number) => {
  const times = createHistogram();
  const failures = new Map<number, number>();
  const until = performance.now() + seconds * 1000;
  let turn = 0;
  const read = (agent: Agent) =>
    new Promise<number>((resolve, reject) => {
      turn += 1;
      const headers = { authorization: `Bearer ${tokens[turn % tokens.length]}` };
      const path = `/api/kanban/v1/cards/${card}`;
      const sent = request({ agent, port, host: '127.0.0.1', path, headers }, (answer) => {
        answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
      });
      sent.once('error', reject).end();
    });
  const loop = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (performance.now() < until) {
      const began = performance.now();
      const status = await read(agent);
      times.record(Math.max(1, Math.round((performance.now() - began) * nanoseconds)));
      if (status !== 200) failures.set(status, (failures.get(status) ?? 0) + 1);
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: clients }, loop));
  return {
    reads: times.count,
    p50: times.percentile(50) / nanoseconds,
    p99: times.percentile(99) / nanoseconds,
    failures: [...failures].map(([status, count]) => `${status}: ${count}`).join(', '),
  };
};

const main = async () => {
  const seconds = Number(options.seconds);
  const { sign } = await ensureKeys(join(options.state, 'keys'));
  const workspace = v7();
  const tokens = await Promise.all(Array.from({ length: readers }, () => sign({ workspace, user: v7(), scope })));
  const mine = await workspaceOf(tokens[0] ?? '', 1, 'small');
  const attacked = v7();
  const theirs = await Promise.all(Array.from({ length: 20 }, () => sign({ workspace: attacked, user: v7(), scope })));
  const [token = ''] = theirs;
  const target: Target = { port, token, tokens: theirs, ...(await workspaceOf(token, 100, '\u0001'.repeat(20_000))) };
  const tell = (line: string) => process.stdout.write(`${line}\n`);
  const show = (name: string, leg: Awaited<ReturnType<typeof measure>>, more = '') =>
    tell(
      `${name.padEnd(34)} ${leg.p50.toFixed(1).padStart(8)} ${leg.p99.toFixed(1).padStart(8)} ${String(leg.reads).padStart(8)}  ${more}${leg.failures}`,
    );

  await measure(tokens, mine.card, seconds / 2);
  tell(`${'reads beside'.padEnd(34)} ${'p50 ms'.padStart(8)} ${'p99 ms'.padStart(8)} ${'reads'.padStart(8)}`);
  for (let round = 0; round < Number(options.rounds); round += 1) {
    for (const name of Object.keys(attacks).filter((one) => one.includes(options.only))) {
      const quiet = await measure(tokens, mine.card, seconds);
      show('nothing', quiet);
      const attacker = fork(import.meta.filename, ['--attack', name, '--target', JSON.stringify(target)]);
      await pause(warmUpMs);
      const beside = await measure(tokens, mine.card, seconds);
      attacker.send('how many');
      const [counts] = await once(attacker, 'message');
      attacker.disconnect();
      await once(attacker, 'exit');
      show(name, beside, `p99 x ${(beside.p99 / quiet.p99).toFixed(1)}; the attack: ${counts} `);
    }
  }
};

if (options.attack && options.target) runAttack(options.attack, JSON.parse(options.target));
else await main();
