import { expect, it } from 'vitest';
import { demoWelcome } from './welcome.ts';

const told = {
  baseUrl: 'http://127.0.0.1:8080/api/kanban/v1',
  token: 'eyJ.a.b',
  expiresIn: 43_200,
  chosenState: undefined,
};

it('shows the token on a terminal', () => {
  const text = demoWelcome({ ...told, isTerminal: true });
  expect(text).toContain("\ncurl -s -H 'Authorization: Bearer eyJ.a.b' http://127.0.0.1:8080/api/kanban/v1/cards/by-");
  expect(text).toContain('good for 12 hours');
});
