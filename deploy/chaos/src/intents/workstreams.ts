import type { Client, Intent } from '../client.ts';
import { isActive, type Known } from '../knowledge.ts';
import { creation } from './cards.ts';

/** Active ones that a workspace has at most. */
const enough = 7;

const activeOnes = ({ knows }: Client) => [...knows.of('workstream').values()].filter(isActive);

/** A workstream of a new prefix: `W`, the client and how many it named. */
export const newWorkstream = (client: Client) => {
  const prefix = `W${client.name().slice(1).replace('-', 'X')}`;
  return {
    operation: 'createWorkstream',
    method: 'POST',
    path: '/workstreams',
    body: { name: prefix, prefix },
  } as const;
};

export const archival = (one: Known) =>
  ({
    operation: 'archiveWorkstream',
    method: 'POST',
    path: `/workstreams/${one.id}/archive`,
    ifMatch: one.version,
  }) as const;

/** One of few, so archives come often. MAIN, the first of them, cannot be archived. */
const someArchivable = (client: Client) => {
  const [, ...others] = activeOnes(client);
  return others.length > 1 ? client.random.pick(others) : undefined;
};

const create = async (client: Client) =>
  activeOnes(client).length < enough ? client.keyed(newWorkstream(client)) : undefined;

/** What an answer may take on a slow way, ms. */
export const slowAnswerMs = 1_500;

/** Archives a workstream, and tries to create cards in it as soon as that is answered, and once more later. */
export const archiveAndCreate = async (client: Client, archive: ReturnType<typeof archival>, id: string) => {
  await client.keyed(archive);
  const late = Array.from({ length: 3 }, () => creation(client, id)).filter((wish) => wish !== undefined);
  await Promise.all(late.slice(1).map((wish) => client.keyed(wish)));
  await client.wait(client.random.int(0, slowAnswerMs));
  if (late[0]) await client.keyed(late[0]);
};

/** Archives a workstream while others create cards in it and transfer cards into it. */
const archiveUnderCreates = async (client: Client) => {
  const one = someArchivable(client);
  if (!one) return undefined;
  const wishes = Array.from({ length: 3 }, () => creation(client, one.id)).filter((wish) => wish !== undefined);
  const card = client.knows.someCard(client.random);
  const transfer = card && {
    operation: 'transferCard',
    method: 'POST' as const,
    path: `/cards/${card.id}/workstream`,
    ifMatch: card.version,
    body: { workstream_id: one.id },
  };
  await Promise.all([
    ...wishes.map((wish) => client.keyed(wish)),
    ...(transfer ? [client.keyed(transfer)] : []),
    archiveAndCreate(client, archival(one), one.id),
  ]);
  return undefined;
};

const patch = async (client: Client) => {
  const one = client.knows.some(client.random, 'workstream');
  if (!one) return undefined;
  const body = client.random.chance(0.5) ? { name: client.name() } : { description: client.name() };
  const path = `/workstreams/${one.id}`;
  return client.once({ operation: 'patchWorkstream', method: 'PATCH', path, ifMatch: client.version(one), body });
};

const patchBoard = async (client: Client) => {
  const one = client.knows.some(client.random, 'board');
  if (!one) return undefined;
  const workstream = client.random.chance(0.3) ? null : client.knows.some(client.random, 'workstream', isActive)?.id;
  const body = { name: client.name(), ...(workstream !== undefined && { default_workstream_id: workstream }) };
  const path = `/boards/${one.id}`;
  return client.once({ operation: 'patchBoard', method: 'PATCH', path, ifMatch: client.version(one), body });
};

/** A column goes to the archive or comes back; some active ones are always left. */
const switchColumn = async (client: Client) => {
  const { knows, random } = client;
  const active = [...knows.of('column').values()].filter(isActive);
  const archived = knows.some(random, 'column', ({ archived: is }) => is);
  const one = archived && random.chance(0.7) ? archived : active.length > 4 ? random.pick(active) : undefined;
  if (!one) return undefined;
  const what = one.archived ? 'restore' : 'archive';
  return client.keyed({
    operation: `${what}Column`,
    method: 'POST',
    path: `/columns/${one.id}/${what}`,
    ifMatch: one.version,
  });
};

/** A board that is there for a moment, with a column and two cards, which answer when it is gone. */
const passingBoard = async (client: Client) => {
  const made = await client.keyed({
    operation: 'createBoard',
    method: 'POST',
    path: '/boards',
    body: { name: client.name() },
  });
  const board = made.answer?.body.resource;
  if (made.answer?.status !== 201 || !board) return;
  const path = `/boards/${board.id}/columns`;
  const column = await client.keyed({ operation: 'createColumn', method: 'POST', path, body: { name: client.name() } });
  const id = column.answer?.body.resource?.id;
  if (id) {
    const create = { operation: 'createCard', method: 'POST', path: `/columns/${id}/cards` } as const;
    await client.keyed({ ...create, body: { title: client.name() } });
    await client.keyed({ ...create, body: { title: client.name() } });
  }
  await client.once({
    operation: 'deleteBoard',
    method: 'DELETE',
    path: `/boards/${board.id}`,
    ifMatch: board.version,
  });
};

export const workstreamIntents: Intent[] = [
  { weight: 1.5, act: create },
  { weight: 1, act: archiveUnderCreates },
  { weight: 0.5, act: patch },
  { weight: 0.3, act: patchBoard },
  { weight: 0.3, act: switchColumn },
  { weight: 0.05, act: passingBoard },
];
