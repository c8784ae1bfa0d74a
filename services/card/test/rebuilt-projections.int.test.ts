import {
  type Card,
  createSubtask,
  getCard,
  getCardByIdentifier,
  linkedFileChanged,
  listSubtasks,
  projectDependency,
  projectLinkedFile,
  projectWorkstream,
  readEdges,
  readLinks,
  readWorkstreamStates,
  workstreamChanged,
} from '@cardinal/contracts';
import { goldenEvent } from '@cardinal/testkit';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { projectionsOf } from '../src/service.ts';
import { dependencyEvent } from './support/dependency-event.ts';
import { startFixture } from './support/fixture.ts';
import { openWorkspace } from './support/workspace.ts';

const { bus, identifier, instance } = await startFixture();

/** What owners have, by workspace: a test says it. */
const edges = new Map<
  string,
  { last_change: number; edges: { card_id: string; depends_on_card_id: string; version: number }[] }
>();
const links = new Map<
  string,
  { subtask_id: string; card_id: string; version: number; file: { id: string; name: string; board_id: null } | null }[]
>();
const keyOf = (one: { card_id: string; depends_on_card_id: string } | null) =>
  one && `${one.card_id}>${one.depends_on_card_id}`;
const within = (key: string, after: string | null, through: string | null) =>
  (after === null || key > after) && (through === null || key <= through);

identifier.bus.serve(readEdges, async ({ workspace_id, after, through }) => {
  const { last_change, edges: all } = edges.get(workspace_id) ?? { last_change: 0, edges: [] };
  const found = all.filter((one) => within(keyOf(one) ?? '', keyOf(after), keyOf(through)));
  return { edges: found, last_change, next: null };
});
identifier.bus.serve(readLinks, async ({ workspace_id, after, through }) => ({
  links: (links.get(workspace_id) ?? []).filter(({ subtask_id }) => within(subtask_id, after, through)),
  next: null,
}));
const states = new Map<string, ReturnType<typeof identifier.add>[]>();
identifier.bus.serve(readWorkstreamStates, async ({ workspace_id, after, through }) => ({
  workstreams: (states.get(workspace_id) ?? []).filter(({ id }) => within(id, after, through)),
  next: null,
}));
await identifier.bus.ping();

const projections = projectionsOf(instance.context);
const rebuild = async (owner: string, workspaceId: string) => {
  const projection = projections.find((one) => one.owner === owner);
  let after: string | null = null;
  do after = (await projection?.rebuildPage(workspaceId, after)) ?? null;
  while (after !== null);
};

const setUp = async () => {
  const workspace = openWorkspace(bus);
  const { workspace_id } = workspace.who;
  const { columns } = await workspace.board('Doing');
  const [a, b, c] = (await workspace.cards(columns[0]?.id ?? '', 'A', 'B', 'C')) as [Card, Card, Card];
  const countsOf = async ({ identifier: name }: Card) => {
    const { reference } = await bus.call(getCardByIdentifier, { ...workspace.who, identifier: name });
    return [reference.dependency_count, reference.dependent_count];
  };
  const depend = (on: [Card, Card], version: number, exists = true) =>
    bus.call(projectDependency, dependencyEvent(workspace_id, [on[0].id, on[1].id], { exists, version }));
  return { ...workspace, workspace_id, a, b, c, countsOf, depend };
};

describe('the projection of dependencies, rebuilt', () => {
  it('counts what the owner has, and nothing that it lost or never had', async () => {
    const { workspace_id, a, b, c, countsOf, depend } = await setUp();
    await depend([a, b], 7);
    await depend([b, c], 9, false);
    await depend([a, c], 8);
    // The owner became one that had changed four times: it has one that is removed here, and none of the others.
    edges.set(workspace_id, { last_change: 4, edges: [{ card_id: b.id, depends_on_card_id: c.id, version: 3 }] });
    await rebuild('dependency', workspace_id);
    expect([await countsOf(a), await countsOf(b), await countsOf(c)]).toEqual([
      [0, 0],
      [1, 0],
      [0, 1],
    ]);
    // Its next changes are newer than all that is here.
    expect(await depend([a, b], 5)).toEqual({ applied: true });
    expect(await depend([b, c], 6, false)).toEqual({ applied: true });
    expect([await countsOf(a), await countsOf(b)]).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  it('changes nothing where both agree, and takes what it missed', async () => {
    const { workspace_id, a, b, c, countsOf, depend } = await setUp();
    await depend([a, b], 1);
    await depend([a, c], 2, false);
    const has = [
      { card_id: a.id, depends_on_card_id: b.id, version: 1 },
      { card_id: b.id, depends_on_card_id: c.id, version: 3 },
    ];
    edges.set(workspace_id, { last_change: 3, edges: has });
    await rebuild('dependency', workspace_id);
    expect([await countsOf(a), await countsOf(b), await countsOf(c)]).toEqual([
      [1, 0],
      [1, 1],
      [0, 1],
    ]);
    expect(await depend([a, c], 2)).toEqual({ applied: false });
  });
});

describe('the projection of linked files, rebuilt', () => {
  it('shows what the owner has, and nothing that it lost; versions rise', async () => {
    const { who, order, workspace_id, a } = await setUp();
    const made = async (title: string) =>
      (await bus.call(createSubtask, { ...order(), card_id: a.id, body: { title } })).resource;
    const [lost, older, missed, same] = [await made('1'), await made('2'), await made('3'), await made('4')];
    const plan = { id: v7(), name: 'plan.pdf', board_id: null };
    const link = ({ id: subtask_id }: { id: string }, version: number, file: typeof plan | null) => ({
      ...{ subtask_id, card_id: a.id, version, file },
    });
    const project = ({ subtask_id, card_id, version, file }: ReturnType<typeof link>) => {
      const about = { workspace_id, aggregate_id: subtask_id, aggregate_version: version };
      const event = goldenEvent(linkedFileChanged, { ...about, data: { subtask_id, card_id } });
      return bus.call(projectLinkedFile, { ...event, data: { subtask_id, card_id, file } });
    };
    await project(link(lost, 2, plan));
    await project(link(older, 3, null));
    await project(link(same, 1, plan));
    links.set(workspace_id, [link(older, 1, plan), link(missed, 1, plan), link(same, 1, plan)]);
    const shown = async () =>
      (await bus.call(listSubtasks, { ...who, card_id: a.id, page: { limit: 10 } })).items.map(
        ({ version, linked_file }) => [version, linked_file?.name],
      );
    expect(await shown()).toEqual([
      [3, 'plan.pdf'],
      [4, undefined],
      [1, undefined],
      [2, 'plan.pdf'],
    ]);
    await rebuild('attachment', workspace_id);
    expect(await shown()).toEqual([
      [4, undefined],
      [5, 'plan.pdf'],
      [2, 'plan.pdf'],
      [2, 'plan.pdf'],
    ]);
    expect(await project(link(lost, 1, plan))).toEqual({ applied: true });
  });
});

describe('the projection of workstreams, rebuilt', () => {
  it('shows the names that the owner has, newer or older', async () => {
    const { who, workspace_id, a } = await setUp();
    const main = (await bus.call(getCard, { ...who, card_id: a.id })).workstream;
    const state = identifier.add(workspace_id, 'NEW', { name: 'New one' });
    const known = { ...identifier.add(workspace_id, 'MAIN', { is_default: true }), id: main.id };
    const { adopting: _, ...future } = { ...known, name: 'From the future', version: 9 };
    const about = { workspace_id, aggregate_id: main.id, aggregate_version: 9 };
    await bus.call(projectWorkstream, { ...goldenEvent(workstreamChanged, about), data: future });
    const name = async () => (await bus.call(getCard, { ...who, card_id: a.id })).workstream.name;
    expect(await name()).toBe('From the future');
    states.set(workspace_id, [{ ...known, name: 'Main again', version: 2 }, state]);
    await rebuild('identifier', workspace_id);
    expect(await name()).toBe('Main again');
    await rebuild('identifier', workspace_id);
    expect(await name()).toBe('Main again');
    const stored = await instance.context.db.read((tx) =>
      tx
        .selectFrom('workstreams')
        .select(['prefix', 'name', 'version'])
        .where('workspace_id', '=', workspace_id)
        .orderBy('prefix')
        .execute(),
    );
    expect(stored).toEqual([
      { prefix: 'MAIN', name: 'Main again', version: 2 },
      { prefix: 'NEW', name: 'New one', version: 1 },
    ]);
  });
});
