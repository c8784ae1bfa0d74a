import * as api from '@cardinal/contracts';
import type { Client, Intent } from '../client.ts';
import { isActive } from '../knowledge.ts';

const long = { query: 'limit=100' };

const ofSomeCard = (operation: api.Operation, page?: typeof long) => async (client: Client) => {
  const card = client.knows.someCard(client.random);
  return card && client.ask(operation, [card.id], page);
};

/** Sometimes in lower case: look-ups ignore the case. */
const spelled = ({ random }: Client, identifier: string) =>
  random.chance(0.3) ? identifier.toLowerCase() : identifier;

const lookUp = async (client: Client) => {
  const { knows, random } = client;
  const card = knows.someCard(random);
  if (!card) return undefined;
  const identifier = random.chance(0.4) ? (card.identifiers.at(-1) as string) : random.pick(card.identifiers);
  return client.ask(api.getCardByIdentifier, [spelled(client, identifier)]);
};

const lookUpGone = async (client: Client) => {
  const { knows, random } = client;
  if (knows.gone.length === 0) return undefined;
  return client.ask(api.getCardByIdentifier, [spelled(client, random.pick(knows.gone))]);
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
  return client.ask(api.listCards, [board.id], { query });
};

const other = (type: string, operation: api.Operation) => async (client: Client) => {
  const one = client.knows.some(client.random, type);
  return one && client.ask(operation, [one.id]);
};

const listOfBoard = async (client: Client) => {
  const board = client.knows.some(client.random, 'board', isActive);
  return board && client.ask(api.listColumns, [board.id], long);
};

export const readIntents: Intent[] = [
  { weight: 9, act: ofSomeCard(api.getCard) },
  { weight: 12, act: lookUp },
  { weight: 1.5, act: lookUpGone },
  { weight: 5, act: ofSomeCard(api.listIdentifiers, long) },
  { weight: 3, act: listCards },
  { weight: 2, act: ofSomeCard(api.listDependencies, long) },
  { weight: 1, act: ofSomeCard(api.listDependents, long) },
  { weight: 0.7, act: ofSomeCard(api.listComments, long) },
  { weight: 0.7, act: ofSomeCard(api.listSubtasks, long) },
  { weight: 0.7, act: ofSomeCard(api.getCover) },
  { weight: 0.5, act: (client) => client.ask(api.listWorkstreams, [], long) },
  { weight: 0.7, act: other('workstream', api.getWorkstream) },
  { weight: 0.5, act: other('subtask', api.getSubtask) },
  { weight: 0.5, act: other('comment', api.getComment) },
  { weight: 0.3, act: other('column', api.getColumn) },
  { weight: 0.3, act: other('board', api.getBoard) },
  { weight: 0.3, act: listOfBoard },
];
