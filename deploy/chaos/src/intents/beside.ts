import type { Client, Intent } from '../client.ts';
import type { Known, KnownCard } from '../knowledge.ts';

/** A desired state of something on a card: it may be sent as often as one likes. */
const onCard =
  (operation: string, method: 'PUT' | 'DELETE', what: (client: Client, card: KnownCard) => string | undefined) =>
  async (client: Client) => {
    const card = client.knows.someCard(client.random);
    const path = card && what(client, card);
    return path && client.persist({ operation, method, path: `/cards/${card.id}/${path}` });
  };

const assignee = ({ random, knows }: Client) => `assignees/${random.pick(knows.users).id}`;
const label = ({ random, knows }: Client) => {
  const one = knows.some(random, 'label');
  return one && `labels/${one.id}`;
};
const dependency = ({ random, knows }: Client, card: KnownCard) => {
  const other = knows.someCard(random);
  if (!other || other.id === card.id) return undefined;
  knows.noteEdge(card.id, other.id);
  return `dependencies/${other.id}`;
};
const image = ({ random, knows }: Client) =>
  knows.images.length > 0 ? `cover/${random.pick(knows.images)}` : undefined;

/** One that is likely to be there; what deletes chosen pairs would hardly ever meet one. */
const removeDependency = async (client: Client) => {
  const { knows, random } = client;
  if (knows.edges.length === 0) return undefined;
  const [from, to] = random.pick(knows.edges);
  return client.persist({ operation: 'deleteDependency', method: 'DELETE', path: `/cards/${from}/dependencies/${to}` });
};

/** The other way round of one that is there: refused, as it would close a cycle. */
const reverseDependency = async (client: Client) => {
  const { knows, random } = client;
  if (knows.edges.length === 0) return undefined;
  const [from, to] = random.pick(knows.edges);
  return client.persist({ operation: 'putDependency', method: 'PUT', path: `/cards/${to}/dependencies/${from}` });
};

const createOn = (operation: string, below: string, field: string) => async (client: Client) => {
  const card = client.knows.someCard(client.random);
  if (!card) return undefined;
  return client.keyed({
    operation,
    method: 'POST',
    path: `/cards/${card.id}/${below}`,
    body: { [field]: client.name() },
  });
};

/** An edit or a deletion of something that hangs on a card. */
const write =
  (type: string, operation: string, method: 'PATCH' | 'DELETE', body?: (client: Client) => unknown) =>
  async (client: Client) => {
    const one = client.knows.some(client.random, type);
    if (!one) return undefined;
    const path = `/${type}s/${one.id}`;
    return client.once({ operation, method, path, ifMatch: client.version(one), ...(body && { body: body(client) }) });
  };

/** Only its author may change a comment, so clients change only their own. */
const linkedFile = (method: 'PUT' | 'DELETE') => async (client: Client) => {
  const { knows, random } = client;
  const subtask: Known | undefined = knows.some(random, 'subtask');
  if (!subtask || knows.images.length === 0) return undefined;
  const file = method === 'PUT' ? `/${random.pick(knows.images)}` : '';
  const operation = method === 'PUT' ? 'putLinkedFile' : 'deleteLinkedFile';
  return client.persist({ operation, method, path: `/subtasks/${subtask.id}/linked-file${file}` });
};

const createLabel = (client: Client) =>
  client.keyed({ operation: 'createLabel', method: 'POST', path: '/labels', body: { name: client.name() } });

export const besideIntents: Intent[] = [
  { weight: 2, act: onCard('putCardAssignee', 'PUT', assignee) },
  { weight: 1.5, act: onCard('deleteCardAssignee', 'DELETE', assignee) },
  { weight: 2, act: onCard('putCardLabel', 'PUT', label) },
  { weight: 1, act: onCard('deleteCardLabel', 'DELETE', label) },
  { weight: 6, act: onCard('putDependency', 'PUT', dependency) },
  { weight: 2, act: removeDependency },
  { weight: 1.5, act: reverseDependency },
  { weight: 1, act: onCard('putCover', 'PUT', image) },
  { weight: 0.5, act: onCard('deleteCover', 'DELETE', () => 'cover') },
  { weight: 2.5, act: createOn('createComment', 'comments', 'body') },
  { weight: 2, act: createOn('createSubtask', 'subtasks', 'title') },
  { weight: 0.8, act: write('comment', 'deleteComment', 'DELETE') },
  {
    weight: 1.5,
    act: write('subtask', 'patchSubtask', 'PATCH', (client) => ({
      title: client.name(),
      completed: client.random.chance(0.5),
    })),
  },
  { weight: 0.6, act: write('subtask', 'deleteSubtask', 'DELETE') },
  { weight: 0.3, act: write('label', 'patchLabel', 'PATCH', (client) => ({ name: client.name() })) },
  { weight: 0.15, act: write('label', 'deleteLabel', 'DELETE') },
  { weight: 0.3, act: createLabel },
  { weight: 1, act: linkedFile('PUT') },
  { weight: 0.4, act: linkedFile('DELETE') },
];
