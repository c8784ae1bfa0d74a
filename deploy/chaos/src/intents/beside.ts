import * as api from '@cardinal/contracts';
import type { Client, Intent } from '../client.ts';
import type { KnownCard } from '../knowledge.ts';

/** Sets or clears a state of a card, or of a card and the thing that `otherOf` names. */
const onCard =
  (operation: api.Operation, otherOf?: (client: Client, card: KnownCard) => string | undefined) =>
  async (client: Client) => {
    const card = client.knows.someCard(client.random);
    const other = card && otherOf?.(client, card);
    if (!card || (otherOf && other === undefined)) return undefined;
    return client.ask(operation, other === undefined ? [card.id] : [card.id, other]);
  };

const assignee = ({ random, knows }: Client) => random.pick(knows.users).id;
const label = ({ random, knows }: Client) => knows.some(random, 'label')?.id;
const image = ({ random, knows }: Client) => (knows.images.length > 0 ? random.pick(knows.images) : undefined);
const dependency = ({ random, knows }: Client, card: KnownCard) => {
  const other = knows.someCard(random);
  if (!other || other.id === card.id) return undefined;
  knows.noteEdge(card.id, other.id);
  return other.id;
};

/** Acts on a dependency that probably exists. A random pair would hardly ever have one. */
const onDependency = (operation: api.Operation, isReversed: boolean) => async (client: Client) => {
  const { knows, random } = client;
  if (knows.edges.length === 0) return undefined;
  const [from, to] = random.pick(knows.edges);
  return client.ask(operation, isReversed ? [to, from] : [from, to]);
};

const createOn = (operation: api.Operation, field: string) => async (client: Client) => {
  const card = client.knows.someCard(client.random);
  return card && client.ask(operation, [card.id], { body: { [field]: client.name() } });
};

/** An edit or a deletion of something with a version. */
const write =
  (type: string, operation: api.Operation, body?: (client: Client) => unknown) => async (client: Client) => {
    const one = client.knows.some(client.random, type);
    if (!one) return undefined;
    return client.ask(operation, [one.id], { ifMatch: client.version(one), ...(body && { body: body(client) }) });
  };

const putLinkedFile = async (client: Client) => {
  const subtask = client.knows.some(client.random, 'subtask');
  const file = image(client);
  return subtask && file && client.ask(api.putLinkedFile, [subtask.id, file]);
};

const deleteLinkedFile = async (client: Client) => {
  const subtask = client.knows.some(client.random, 'subtask');
  return subtask && client.ask(api.deleteLinkedFile, [subtask.id]);
};

const named = (client: Client) => ({ name: client.name() });
const step = (client: Client) => ({ title: client.name(), completed: client.random.chance(0.5) });

export const besideIntents: Intent[] = [
  { weight: 2, act: onCard(api.putAssignee, assignee) },
  { weight: 1.5, act: onCard(api.deleteAssignee, assignee) },
  { weight: 2, act: onCard(api.putCardLabel, label) },
  { weight: 1, act: onCard(api.deleteCardLabel, label) },
  { weight: 6, act: onCard(api.putDependency, dependency) },
  { weight: 2, act: onDependency(api.deleteDependency, false) },
  // Refused, as it would close a cycle.
  { weight: 1.5, act: onDependency(api.putDependency, true) },
  { weight: 1, act: onCard(api.putCover, image) },
  { weight: 0.5, act: onCard(api.deleteCover) },
  { weight: 2.5, act: createOn(api.createComment, 'body') },
  { weight: 2, act: createOn(api.createSubtask, 'title') },
  { weight: 0.8, act: write('comment', api.deleteComment) },
  { weight: 1.5, act: write('subtask', api.patchSubtask, step) },
  { weight: 0.6, act: write('subtask', api.deleteSubtask) },
  { weight: 0.3, act: write('label', api.patchLabel, named) },
  { weight: 0.15, act: write('label', api.deleteLabel) },
  { weight: 0.3, act: (client) => client.ask(api.createLabel, [], { body: named(client) }) },
  { weight: 1, act: putLinkedFile },
  { weight: 0.4, act: deleteLinkedFile },
];
