import { setTimeout as pause } from 'node:timers/promises';
import { databaseOwners, getCardByIdentifier } from '@cardinal/contracts';
import { checks as doctorChecks } from '@cardinal/doctor/src/checks/index.ts';
import { queryCheck } from '@cardinal/doctor/src/checks/kinds.ts';
import { logIsComplete } from '@cardinal/doctor/src/checks/log.ts';
import { type Check, examine } from '@cardinal/doctor/src/examine.ts';
import { repairAll } from '@cardinal/doctor/src/repair.ts';
import { openSources } from '@cardinal/doctor/src/sources.ts';
import { isKeeper } from './clients.ts';
import type { Exchange, History, Violation } from './history.ts';
import { namesLost, rollbacksOf } from './rollbacks.ts';
import { requestFor, send } from './send.ts';
import type { System } from './system.ts';
import { cardsIn } from './view.ts';

/** Rules that hold when nothing is under way, where the doctor allows a minute, and rules that no constraint enforces. */
const quietChecks: readonly Check[] = [
  logIsComplete,
  queryCheck(
    'every identifier is in the ledger',
    ['card'],
    `select identifier || ' of card ' || card_id || ' is unrecorded since ' || assigned_at as what
      from card.issued where recorded_at is null`,
  ),
  queryCheck(
    'a card counts its comments and subtasks',
    ['card'],
    `select 'card ' || c.id || ' counts ' || c.comment_count || ' comments, ' || c.subtask_total || ' subtasks, '
        || c.subtask_completed || ' completed, and has ' || n.comments || ', ' || n.subtasks || ', ' || n.completed as what
      from card.cards c cross join lateral (select
        (select count(*) from card.comments o where o.workspace_id = c.workspace_id and o.card_id = c.id) as comments,
        (select count(*) from card.subtasks o where o.workspace_id = c.workspace_id and o.card_id = c.id) as subtasks,
        (select count(*) from card.subtasks o where o.workspace_id = c.workspace_id and o.card_id = c.id
          and o.completed_at is not null) as completed) as n
      where (c.comment_count, c.subtask_total, c.subtask_completed) is distinct from (n.comments, n.subtasks, n.completed)`,
  ),
  // Clients use each text once, and never edit the description of a card or the body of a comment.
  queryCheck(
    'a key creates one card or comment',
    ['card'],
    `select 'there are ' || count(*) || ' cards created as ' || description as what from card.cards
      where description is not null group by workspace_id, description having count(*) > 1
      union all select 'there are ' || count(*) || ' comments ' || body from card.comments
      group by workspace_id, body having count(*) > 1`,
  ),
];

/** After a rollback of the databases numbers skip. The rule of the history limits how far. */
const noGap = 'the ledger has the numbers of every workstream without a gap, from 1, its opening or the last rollback';

/** The pause between two looks, ms: looks take CPU from services that catch up. */
const betweenLooksMs = 200;

/** Concurrent look-ups at the end. */
const lookups = 16;

/** Resolves every identifier that was ever answered, in its workspace. The checks judge these answers, too. */
const resolveAll = async (system: System, history: History): Promise<number> => {
  const answered = new Map<string, { workspace: string; identifier: string }>();
  for (const exchange of history.exchanges) {
    const { workspace, client } = exchange;
    if (isKeeper(client)) continue;
    const names = [...cardsIn(exchange), ...(exchange.answer?.body.identifiers ?? [])];
    for (const { identifier } of names) answered.set(`${workspace}/${identifier}`, { workspace, identifier });
  }
  const tokens = new Map<string, string>();
  // By a new user, for whom no gateway has the identifier cached.
  for (const { workspace } of answered.values())
    if (!tokens.has(workspace)) tokens.set(workspace, await system.token(workspace, crypto.randomUUID()));
  const left = [...answered.values()].values();
  const record = (exchange: Omit<Exchange, 'id'>) => {
    history.exchanges.push({ id: history.exchanges.length, ...exchange });
  };
  const work = async (_: unknown, at: number) => {
    for (const { workspace, identifier } of left) {
      const gateway = system.gateways[at % system.gateways.length];
      const token = tokens.get(workspace);
      if (!gateway || token === undefined) return;
      const planned = requestFor(getCardByIdentifier, [identifier]);
      await send(gateway, { client: -1, workspace, token }, planned, record);
    }
  };
  await Promise.all(Array.from({ length: lookups }, work));
  return answered.size;
};

/**
 * Waits until nothing is under way, compares the data of the services, and resolves every identifier that was ever
 * answered. After rollbacks of the databases the doctor repairs first, as its runbook says: a projection may have applied an
 * event that was lost before it was in the feed. Call it after all faults and the load have ended; judge the history
 * afterwards.
 * @param history receives the look-ups
 * @param timeoutMs how long projections and the ledger may take to catch up, ms
 */
export const settle = async (
  system: System,
  history: History,
  timeoutMs: number,
): Promise<{ looked: number; violations: Violation[] }> => {
  const sources = openSources(databaseOwners, (owner) => system.databases[owner]);
  try {
    let isRepaired = rollbacksOf(history).length === 0;
    let until = performance.now() + timeoutMs;
    let open: readonly Check[] = [...doctorChecks.filter(({ name }) => isRepaired || name !== noGap), ...quietChecks];
    const looked = open.length;
    for (;;) {
      const findings = await examine(open, sources, 0, 250);
      const differing = findings.filter(({ differences }) => differences.length > 0);
      open = differing.map(({ check }) => check);
      if (open.length > 0 && performance.now() < until) {
        await pause(betweenLooksMs);
        continue;
      }
      if (open.length > 0 && !isRepaired) {
        await repairAll(findings, sources, () => {});
        isRepaired = true;
        // Services rebuild their projections in the background.
        until = performance.now() + timeoutMs;
        continue;
      }
      const isLost = namesLost(history);
      const violations = differing.flatMap(({ check, differences }) =>
        differences
          // Differences that follow from lost writes, which were handed over before the rollback, are left out.
          .filter(({ what }) => !isLost(what))
          .slice(0, 5)
          .map(({ what }): Violation => ({ message: `${check.name}: ${what}`, exchanges: [] })),
      );
      return { looked: looked + (await resolveAll(system, history)), violations };
    }
  } finally {
    await sources.close();
  }
};
