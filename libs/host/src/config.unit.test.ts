import { expect, it } from 'vitest';
import { environmentOf } from './config.ts';

it('a variable with the name of a service in front is its own, and overrides a shared one', () => {
  const env = { LOG_LEVEL: 'warn', CARD_LOG_LEVEL: 'debug', CARD_DATABASE_URL: 'one', EVENT_RETENTION_DAYS: '3' };
  expect(environmentOf('card', env)).toMatchObject({ LOG_LEVEL: 'debug', DATABASE_URL: 'one' });
  expect(environmentOf('event', env)).toMatchObject({ LOG_LEVEL: 'warn', EVENT_RETENTION_DAYS: '3' });
});

it('no service has the database of another one, or a shared one', () => {
  const env = { DATABASE_URL: 'of all', CARD_DATABASE_URL: 'of card' };
  expect(environmentOf('event', env).DATABASE_URL).toBeUndefined();
});
