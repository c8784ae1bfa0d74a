import type { Card, CardinalClient, Workstream } from '@cardinal/client/source';
import { adoptedId, mainPrefix, parseIdentifier, timeOf } from '@cardinal/contracts';
import { forEachConcurrently } from '../concurrently.ts';
import { ifFound } from '../found.ts';
import { isSameRow, type Journal } from '../journal.ts';
import type { Numbering, PlannedCard } from '../plan/cards.ts';
import { pairRows } from '../plan/pairs.ts';
import type { Plan } from '../plan/plan.ts';
import { findWorkstreams } from './workspace.ts';

/** The outcome of a row: its card is to be created, exists already, or cannot be created. */
type Verdict = { state: 'new' } | { state: 'there'; id: string } | { state: 'refused'; problem: string };

/** What the workspace already has of a plan. */
export interface Met {
  workstreams: Map<string, Workstream>;
  /** Whether the default workstream is made to adopt first. */
  claimsMain: boolean;
  /** Whether it has nothing that a row could collide with. */
  isClear: boolean;
  numbering: Numbering;
  /** The outcome of a row, by journal and cards. An equal number alone does not make a card that of the row. */
  judge(card: PlannedCard): Promise<Verdict>;
  /** A card as it was when it was first asked for; undefined if it was deleted. @param prefix of its workstream */
  cardOf(id: string, prefix: string | undefined): Promise<Card | undefined>;
  /** The cards that this run made of rows that are not in the files any more. @param names those of the rows */
  withoutRow(names: ReadonlySet<string>): Promise<Pick<Card, 'identifier' | 'title'>[]>;
  /** Whether another run made this card, which has an identifier of the row, of the same row. */
  isOwn(card: PlannedCard, id: string): Promise<boolean>;
}

/** The card of an identifier; null if it is deleted, or hidden from the caller. */
type Taken = Map<string, { id: string; title: string } | null>;

const atOnce = 8;
const few = 20;

const readRegisters = async (client: CardinalClient, plan: Plan, found: Map<string, Workstream>, isOurs: boolean) => {
  const taken: Taken = new Map();
  const highest = new Map<string, number>();
  for (const { prefix, current, former } of plan.workstreams) {
    const workstream = found.get(prefix);
    // A default workstream that numbers its cards itself cannot collide with rows.
    const isPassed = prefix === mainPrefix && current + former === 0 && !workstream?.adopting && !isOurs;
    if (!workstream || isPassed) continue;
    for await (const { identifier, number, card } of client.workstreams.listIdentifiers(workstream.id, {}, page)) {
      taken.set(identifier, card && { id: card.id, title: card.title });
      highest.set(prefix, Math.max(highest.get(prefix) ?? 0, number));
    }
  }
  return { taken, highest };
};

const page = { pageSize: 100 };

const cardsIn = async (client: CardinalClient, workstream_id: string): Promise<Map<string, Card>> => {
  const lists = [false, true].map((archived) => client.cards.search({ workstream_id, archived }, page).all());
  return new Map((await Promise.all(lists)).flat().map((card) => [card.id, card]));
};

/** Finds the journal's cards that still exist. */
const findLiving = async (
  client: CardinalClient,
  journal: Journal,
  taken: Taken,
  found: Map<string, Workstream>,
): Promise<Set<string>> => {
  const living = new Set([...taken.values()].flatMap((card) => card?.id ?? []));
  const missing = () => [...journal.cards.values()].map(({ id }) => id).filter((id) => !living.has(id));
  const main = found.get(mainPrefix);
  if (main && missing().length > few) for (const id of (await cardsIn(client, main.id)).keys()) living.add(id);
  await forEachConcurrently(missing(), { concurrency: atOnce, isStopped: () => false }, async (id) => {
    if (await ifFound(client.cards.get(id))) living.add(id);
  });
  return living;
};

/** Whether no workstream of a workspace ever issued or adopted an identifier: then the default one may adopt. */
const hadNoCard = async (client: CardinalClient, workstreams: Iterable<Workstream>): Promise<boolean> => {
  for (const { id } of workstreams) {
    if ((await client.workstreams.listIdentifiers(id).all({ limit: 1 })).length > 0) return false;
  }
  return true;
};

/**
 * Finds what a workspace already has of a plan. Writes nothing.
 * @param mayClaim whether the default workstream may be made to adopt, if it can
 * @param rows the rows of the files, with the names of their content
 * @param isOurs whether an import of these files made it adopt: its numbers are then those of their rows
 */
export const meetWorkspace = async (
  client: CardinalClient,
  {
    journal,
    plan,
    workspace,
    mayClaim,
    isOurs,
    rows,
  }: {
    journal: Journal;
    plan: Plan;
    workspace: string;
    mayClaim: boolean;
    isOurs: boolean;
    rows: AsyncIterable<PlannedCard>;
  },
): Promise<Met> => {
  const workstreams = await findWorkstreams(client);
  const needsMain = plan.workstreams.some(({ prefix }) => prefix === mainPrefix);
  const isMainPlain = needsMain && workstreams.get(mainPrefix)?.adopting === false;
  const claimsMain = mayClaim && isMainPlain && (await hadNoCard(client, workstreams.values()));
  const { taken, highest } = await readRegisters(client, plan, workstreams, isOurs);
  const living = await findLiving(client, journal, taken, workstreams);
  const contents = new Map<string, Promise<Map<string, Card>>>();
  const isOpen = (prefix: string) => {
    const workstream = workstreams.get(prefix);
    if (prefix === mainPrefix && claimsMain) return false;
    return workstream !== undefined && !workstream.adopting && workstream.archived_at === null;
  };

  const isShut = (prefix: string) => isOpen(prefix) || (workstreams.get(prefix)?.archived_at ?? null) !== null;

  const idOf = (key: string, prefix: string, createdAt: string | null) => {
    const workstream = workstreams.get(prefix);
    const created = createdAt === null ? workstream && timeOf(workstream.id) : new Date(createdAt);
    return created === undefined ? undefined : adoptedId(workspace, key, created);
  };
  const contentOf = async (id: string, prefix: string): Promise<Card | undefined> => {
    const workstream = workstreams.get(prefix);
    if (!workstream) return ifFound(client.cards.get(id));
    const known = contents.get(prefix) ?? cardsIn(client, workstream.id);
    contents.set(prefix, known);
    return (await known).get(id) ?? (await ifFound(client.cards.get(id)));
  };
  const isOwn = async ({ identity, created_at, fields }: PlannedCard, id: string): Promise<boolean> => {
    if (!identity || idOf(identity.key, identity.prefix, created_at) !== id) return false;
    const card = await contentOf(id, identity.prefix);
    return card?.title === fields.title && (card.description ?? '') === (fields.description ?? '');
  };

  const judgeTaken = async (card: PlannedCard): Promise<Verdict> => {
    for (const { key } of [...(card.identity ? [card.identity] : []), ...card.former]) {
      const owner = taken.get(key);
      if (owner === undefined) continue;
      if (owner === null) {
        const problem = `${key} is taken: its card was deleted, or is hidden from you; an identifier is never given again`;
        return { state: 'refused', problem };
      }
      if (key === card.identity?.key && (await isOwn(card, owner.id))) return { state: 'there', id: owner.id };
      return { state: 'refused', problem: `${key} is that of another card, "${owner.title}"` };
    }
    const workstream = workstreams.get(card.prefix ?? '');
    if (workstream && workstream.archived_at !== null) {
      return { state: 'refused', problem: `workstream ${workstream.prefix} is archived: nothing can come into it` };
    }
    const closed = [...(card.identity ? [card.identity] : []), ...card.former].find(({ prefix }) => isOpen(prefix));
    if (!closed) return { state: 'new' };
    const way =
      closed.prefix === mainPrefix ? `; --prefix-for ${mainPrefix}=OLD${mainPrefix} has it come under another` : '';
    const problem = `workstream ${closed.prefix} is there and numbers its own cards: no number can come along${way}`;
    return { state: 'refused', problem };
  };

  const judge = async (card: PlannedCard): Promise<Verdict> => {
    const entry = journal.cards.get(card.name);
    if (!entry) return judgeTaken(card);
    if (!isSameRow(entry.row, card)) {
      return {
        state: 'refused',
        problem: `another row of this run became ${card.name}; import the file under another --run folder`,
      };
    }
    if (living.has(entry.id)) return { state: 'there', id: entry.id };
    // The row has no number of its own, so it may get another one.
    if (!card.identity || card.isNumbered) return judgeTaken(card);
    return { state: 'refused', problem: `its card was deleted, and ${card.identity.key} is never given again` };
  };

  const withoutRow = async (names: ReadonlySet<string>) => {
    const left = [...journal.cards].filter(([name, { id, made }]) => made && !names.has(name) && living.has(id));
    const cards: Card[] = [];
    await forEachConcurrently(left, { concurrency: atOnce, isStopped: () => false }, async ([name, { id }]) => {
      const { prefix = mainPrefix } = parseIdentifier(journal.asked.get(name) ?? name) ?? {};
      const card = await contentOf(id, prefix);
      if (card) cards.push(card);
    });
    return cards;
  };

  const pairs = await pairRows(rows, journal);
  const isFresh = journal.asked.size === 0;
  const given: Numbering['given'] = (name, prefix, { title, created_at: createdAt, first }) => {
    if (isOurs && isFresh && prefix === mainPrefix) {
      const key = `${prefix}-${first}`;
      const owner = taken.get(key);
      return owner?.title === title && owner.id === idOf(key, prefix, createdAt) ? first : undefined;
    }
    if (isOpen(prefix)) return undefined;
    const key = journal.asked.get(name);
    const parsed = key === undefined ? undefined : parseIdentifier(key);
    if (key === undefined || parsed?.prefix !== prefix) return undefined;
    const entry = journal.cards.get(name);
    if (entry) return living.has(entry.id) ? parsed.number : undefined;
    const owner = taken.get(key);
    const isFree = owner === undefined || owner?.id === idOf(key, prefix, createdAt);
    return isFree ? parsed.number : undefined;
  };
  const chosen = new Map<string, number>();
  for (const key of journal.asked.values()) {
    const { prefix = '', number = 0 } = parseIdentifier(key) ?? {};
    chosen.set(prefix, Math.max(chosen.get(prefix) ?? 0, number));
  }
  const numbering = {
    isOpen,
    called: (name: string) => pairs.get(name) ?? name,
    given,
    highest: (prefix: string) => Math.max(highest.get(prefix) ?? 0, chosen.get(prefix) ?? 0),
  };
  const isClear =
    taken.size === 0 && journal.cards.size === 0 && plan.workstreams.every(({ prefix }) => !isShut(prefix));
  const cardOf: Met['cardOf'] = (id, prefix = mainPrefix) => contentOf(id, prefix);
  return { workstreams, claimsMain, isClear, numbering, judge, cardOf, withoutRow, isOwn };
};
