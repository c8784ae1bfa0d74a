/**
 * Measures what attacks of one workspace, or of nobody, do to another workspace: its reads, lists, searches and creates
 * before, during and after each. Needs a running Cardinal whose development key it may use, the one of `npm start`, whose
 * folder `--state` names:
 *
 *     PORT=18080 npm start
 *     npm run starve -w @cardinal/gateway -- --port 18080
 *
 * Each attack runs in a process of its own that gives way to the others (nice 10), and the workspace leaves the machine some
 * time, so that what is measured is what Cardinal does for an attack. The first one does nothing but keep its process busy:
 * by so much does the machine alone differ.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { getPriority, setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ensureKeys, stateFolder } from '@cardinal/servers';
import { v7 } from 'uuid';
import { attacks, titleToSearch } from './attacks.ts';
import type { Attack, Target } from './target.ts';
import { boardOf, createVictim, type Leg, type Operation, operations } from './victim.ts';

const { values: options } = parseArgs({
  options: {
    port: { type: 'string', default: '8080' },
    state: { type: 'string', default: stateFolder() },
    rounds: { type: 'string', default: '1' },
    /** Of each leg; the one after an attack has half of it. */
    seconds: { type: 'string', default: '8' },
    /** Only attacks whose name has this in it. */
    only: { type: 'string', default: '' },
    /** The name of one attack, in a process of its own. */
    attack: { type: 'string' },
  },
});

const scope = 'kanban:read kanban:write kanban:admin';
/** Users of a workspace that works much, so many that no one's rate limit ends the measurement. */
const users = 64;
const attackers = 20;
const warmUpMs = 1_000;
const restMs = 1_000;
const givesWayBy = 10;
const countsMs = 3_000;
const titlesToSearch = 10_000;
const largeCards = 100;

const keys = () => ensureKeys(join(options.state, 'keys'));
const print = (line: string) => process.stdout.write(`${line}\n`);

/** What the process of an attack is sent. */
interface Order {
  target: Target;
  workspace: string;
}

const runAttack = (name: string): void => {
  setPriority(getPriority() + givesWayBy);
  const counts = new Map<number | string, number>();
  process.on('disconnect', () => process.exit());
  process.once('message', async ({ target, workspace }: Order) => {
    const { sign } = await keys();
    const attack: Attack = {
      target,
      count: (what) => void counts.set(what, (counts.get(what) ?? 0) + 1),
      freshToken: (user) => sign({ workspace, user, scope }),
    };
    process.on('message', () => process.send?.([...counts].map(([what, count]) => `${what}: ${count}`).join(', ')));
    // An attack may leave no time for it.
    process.send?.('begun', () => attacks[name]?.(attack));
  });
};

/** Has an attack run while something is done; answers what it counted. */
const beside = async <T>(name: string, order: Order, work: () => Promise<T>): Promise<[T, string]> => {
  const attacker = fork(import.meta.filename, ['--attack', name, '--state', options.state]);
  const ended = once(attacker, 'exit');
  try {
    attacker.send(order);
    await once(attacker, 'message');
    await pause(warmUpMs);
    const result = await work();
    attacker.send('how many');
    const counts = await Promise.race([once(attacker, 'message'), pause(countsMs)]);
    return [result, String(counts?.[0] ?? '')];
  } finally {
    attacker.kill('SIGKILL');
    await ended;
  }
};

const columns = ['quiet', 'during', 'after'] as const;
type Legs = Record<(typeof columns)[number], Record<Operation, Leg>>;

const milliseconds = (ms: number) => ms.toFixed(1).padStart(8);
const times = (one: number, other: number) => `x ${(one / other).toFixed(1)}`.padStart(8);

const show = (name: string, legs: Legs, counts: string): void => {
  print(`\n${name}${counts && ` (${counts})`}`);
  for (const operation of operations) {
    const [quiet, during, after] = columns.map((column) => legs[column][operation]) as [Leg, Leg, Leg];
    const p99 = `${milliseconds(quiet.p99)}${milliseconds(during.p99)}${milliseconds(after.p99)}`;
    const p50 = `${milliseconds(quiet.p50)}${milliseconds(during.p50)}`;
    const failures = [quiet, during, after].map((leg) => leg.failures).filter(Boolean);
    const ratios = `${times(during.p99, quiet.p99)}${times(after.p99, quiet.p99)}${times(during.p50, quiet.p50)}`;
    const requests = `${String(during.requests).padStart(8)}`;
    print(`  ${operation.padEnd(10)}${p99}${p50}${ratios}${requests}  ${failures.join('; ')}`);
  }
};

const main = async () => {
  const port = Number(options.port);
  const seconds = Number(options.seconds);
  const { sign } = await keys();
  const tokensOf = (workspace: string, many: number) =>
    Promise.all(Array.from({ length: many }, () => sign({ workspace, user: v7(), scope })));
  const names = Object.keys(attacks).filter((one) => one.includes(options.only));
  const victim = await createVictim(port, await tokensOf(v7(), users));
  const workspace = v7();
  const tokens = await tokensOf(workspace, users);
  const description = '\u0001'.repeat(20_000);
  const large = await boardOf(port, tokens, largeCards, () => ({ title: 'a', description }));
  const isSearched = names.some((name) => name.startsWith('searches'));
  const alike = () => ({ title: titleToSearch });
  const { board: searched } = await boardOf(port, tokens, isSearched ? titlesToSearch : 0, alike);
  const [token = ''] = tokens;
  const { board, card } = large;
  const order: Order = {
    target: { port, token, tokens: tokens.slice(0, attackers), board, card, searched },
    workspace,
  };

  await victim.work(seconds);
  print(`p99 and p50, ms, of a workspace beside attacks; requests during them, and what failed`);
  const head = ['p99', 'during', 'after', 'p50', 'during', 'p99 x', 'after', 'p50 x', 'requests'];
  print(`  ${''.padEnd(10)}${head.map((one) => one.padStart(8)).join('')}`);
  const worst: string[] = [];
  for (let round = 0; round < Number(options.rounds); round += 1) {
    for (const name of names) {
      const quiet = await victim.work(seconds);
      const [during, counts] = await beside(name, order, () => victim.work(seconds));
      await pause(restMs);
      const legs: Legs = { quiet, during, after: await victim.work(seconds / 2) };
      show(name, legs, counts);
      for (const one of operations) {
        const ratio = during[one].p99 / quiet[one].p99;
        if (ratio >= 3) worst.push(`${name}, ${one}: x ${ratio.toFixed(1)}`);
      }
    }
  }
  print(worst.length === 0 ? '\nEvery p99 stayed below three times the quiet one.' : `\n${worst.join('\n')}`);
};

if (options.attack) runAttack(options.attack);
else await main();
