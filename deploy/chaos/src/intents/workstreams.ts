import * as api from '@cardinal/contracts';
import type { Client, Intent } from '../client.ts';
import { isActive } from '../knowledge.ts';
import { type PlannedRequest, requestFor } from '../send.ts';
import { creations } from './cards.ts';

/** The most active workstreams of a workspace. */
const enough = 7;

const activeOnes = ({ knows }: Client) => [...knows.of('workstream').values()].filter(isActive);

/** A workstream with a new prefix: `W`, the client and a counter. */
export const newWorkstream = (client: Client): PlannedRequest => {
  const prefix = `W${client.name().slice(1).replace('-', 'X')}`;
  return requestFor(api.createWorkstream, [], { body: { name: prefix, prefix } });
};

export const archival = ({ id, version }: { id: string; version: number }): PlannedRequest =>
  requestFor(api.archiveWorkstream, [id], { ifMatch: version });

/** One of few, so archives come often. MAIN, the first of them, cannot be archived. */
const someArchivable = (client: Client) => {
  const [, ...others] = activeOnes(client);
  return others.length > 1 ? client.random.pick(others) : undefined;
};

const create = async (client: Client) =>
  activeOnes(client).length < enough ? client.send(newWorkstream(client)) : undefined;

/** How long an answer may take over a slow connection, ms. */
export const slowAnswerMs = 1_500;

/** Archives a workstream, tries to create cards in it as soon as that is answered, and once more later. */
export const archiveAndCreate = async (client: Client, archive: PlannedRequest, id: string) => {
  await client.send(archive);
  const [last, ...late] = creations(client, 3, id);
  await Promise.all(late.map((planned) => client.send(planned)));
  await client.wait(client.random.int(0, slowAnswerMs));
  if (last) await client.send(last);
};

/** Archives a workstream while requests create cards in it and transfer cards into it. */
const archiveUnderCreates = async (client: Client) => {
  const one = someArchivable(client);
  if (!one) return;
  const requests = creations(client, 3, one.id);
  const card = client.knows.someCard(client.random);
  if (card)
    requests.push(requestFor(api.transferCard, [card.id], { ifMatch: card.version, body: { workstream_id: one.id } }));
  await Promise.all([
    ...requests.map((planned) => client.send(planned)),
    archiveAndCreate(client, archival(one), one.id),
  ]);
};

const patch = async (client: Client) => {
  const one = client.knows.some(client.random, 'workstream');
  if (!one) return undefined;
  const body = client.random.chance(0.5) ? { name: client.name() } : { description: client.name() };
  return client.ask(api.patchWorkstream, [one.id], { ifMatch: client.version(one), body });
};

const patchBoard = async (client: Client) => {
  const one = client.knows.some(client.random, 'board');
  if (!one) return undefined;
  const workstream = client.random.chance(0.3) ? null : client.knows.some(client.random, 'workstream', isActive)?.id;
  const body = { name: client.name(), ...(workstream !== undefined && { default_workstream_id: workstream }) };
  return client.ask(api.patchBoard, [one.id], { ifMatch: client.version(one), body });
};

/** Archives or restores a column. Some columns always stay active. */
const switchColumn = async (client: Client) => {
  const { knows, random } = client;
  const active = [...knows.of('column').values()].filter(isActive);
  const archived = knows.some(random, 'column', ({ archived: is }) => is);
  const one = archived && random.chance(0.7) ? archived : active.length > 4 ? random.pick(active) : undefined;
  return one && client.ask(one.archived ? api.restoreColumn : api.archiveColumn, [one.id], { ifMatch: one.version });
};

/** Creates a board with a column and two cards, and deletes it. Its cards can still be read. */
const passingBoard = async (client: Client) => {
  const make = (operation: api.Operation, ids: string[], field: 'name' | 'title') =>
    client.ask(operation, ids, { body: { [field]: client.name() } });
  const made = await make(api.createBoard, [], 'name');
  const board = made.answer?.body.resource;
  if (made.answer?.status !== 201 || !board) return;
  const column = (await make(api.createColumn, [board.id], 'name')).answer?.body.resource?.id;
  if (column) for (let cards = 0; cards < 2; cards += 1) await make(api.createCard, [column], 'title');
  await client.ask(api.deleteBoard, [board.id], { ifMatch: board.version });
};

export const workstreamIntents: Intent[] = [
  { weight: 1.5, act: create },
  { weight: 1, act: archiveUnderCreates },
  { weight: 0.5, act: patch },
  { weight: 0.3, act: patchBoard },
  { weight: 0.3, act: switchColumn },
  { weight: 0.05, act: passingBoard },
];
