import type { Client, Intent } from '../client.ts';
import { isActive } from '../knowledge.ts';

const read = (operation: string, path: string) => ({ operation, method: 'GET', path }) as const;

const ofSomeCard =
  (operation: string, below = '') =>
  async (client: Client) => {
    const card = client.knows.someCard(client.random);
    return card && client.once(read(operation, `/cards/${card.id}${below}`));
  };

/** In the letters of a commit message of last year. */
const spelled = ({ random }: Client, identifier: string) =>
  random.chance(0.3) ? identifier.toLowerCase() : identifier;

const lookUp = async (client: Client) => {
  const { knows, random } = client;
  const card = knows.someCard(random);
  if (!card) return undefined;
  const identifier = random.chance(0.4) ? (card.identifiers.at(-1) as string) : random.pick(card.identifiers);
  return client.once(read('getCardByIdentifier', `/cards/by-identifier/${spelled(client, identifier)}`));
};

const lookUpGone = async (client: Client) => {
  const { knows, random } = client;
  if (knows.gone.length === 0) return undefined;
  return client.once(read('getCardByIdentifier', `/cards/by-identifier/${spelled(client, random.pick(knows.gone))}`));
};

const listCards = async (client: Client) => {
  const { knows, random } = client;
  const board = knows.some(random, 'board');
  if (!board) return undefined;
  const user = random.pick(knows.users).id;
  const workstream = knows.some(random, 'workstream')?.id;
  const filters = ['', '', 'archived=true', 'completed=false', `assignee_user_id=${user}`, 'blocked=true'];
  const filter = random.pick(workstream ? [...filters, `workstream_id=${workstream}`] : filters);
  const query = [`limit=${random.pick([5, 20, 40])}`, filter].filter(Boolean).join('&');
  return client.once(read('listCards', `/boards/${board.id}/cards?${query}`));
};

const other = (type: string, operation: string, collection: string) => async (client: Client) => {
  const one = client.knows.some(client.random, type);
  return one && client.once(read(operation, `/${collection}/${one.id}`));
};

const listOfBoard = async (client: Client) => {
  const board = client.knows.some(client.random, 'board', isActive);
  return board && client.once(read('listColumns', `/boards/${board.id}/columns?limit=100`));
};

export const readIntents: Intent[] = [
  { weight: 9, act: ofSomeCard('getCard') },
  { weight: 12, act: lookUp },
  { weight: 1.5, act: lookUpGone },
  { weight: 5, act: ofSomeCard('listIdentifiers', '/identifiers?limit=100') },
  { weight: 3, act: listCards },
  { weight: 2, act: ofSomeCard('listDependencies', '/dependencies?limit=100') },
  { weight: 1, act: ofSomeCard('listDependents', '/dependents?limit=100') },
  { weight: 0.7, act: ofSomeCard('listComments', '/comments?limit=100') },
  { weight: 0.7, act: ofSomeCard('listSubtasks', '/subtasks?limit=100') },
  { weight: 0.7, act: ofSomeCard('getCover', '/cover') },
  { weight: 0.5, act: (client) => client.once(read('listWorkstreams', '/workstreams?limit=100')) },
  { weight: 0.7, act: other('workstream', 'getWorkstream', 'workstreams') },
  { weight: 0.5, act: other('subtask', 'getSubtask', 'subtasks') },
  { weight: 0.5, act: other('comment', 'getComment', 'comments') },
  { weight: 0.3, act: other('column', 'getColumn', 'columns') },
  { weight: 0.3, act: other('board', 'getBoard', 'boards') },
  { weight: 0.3, act: listOfBoard },
];
