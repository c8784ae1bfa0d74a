import { expect, it } from 'vitest';
import { demoWelcome } from './welcome.ts';

const told = {
  baseUrl: 'http://127.0.0.1:8080/api/kanban/v1',
  token: 'eyJ.a.b',
  expiresIn: 43_200,
  chosenState: undefined,
};
const [authorization, card] = [
  'Authorization: Bearer',
  'http://127.0.0.1:8080/api/kanban/v1/cards/by-identifier/WEB-3',
];

it('says how to make an API key, and shows a token on a terminal', () => {
  expect(demoWelcome({ ...told, isTerminal: true }).split('\n')).toEqual([
    'Make an API key for the demo workspace: npm run --silent key -- --name laptop --scope kanban:admin',
    '',
    'Try, with a token that is good for 12 hours:',
    `curl -s -H '${authorization} eyJ.a.b' ${card}`,
  ]);
});

it('shows none elsewhere, and names the chosen folder', () => {
  const text = demoWelcome({ ...told, isTerminal: false, chosenState: '/tmp/second' });
  expect(text).not.toContain('eyJ');
  expect(text).toContain(": CARDINAL_STATE='/tmp/second' npm run --silent key -- --name laptop");
  expect(text).toContain(
    `\ncurl -s -H "${authorization} $(CARDINAL_STATE='/tmp/second' npm run --silent token)" ${card}`,
  );
});
