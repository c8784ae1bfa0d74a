import { serviceNames } from '@cardinal/contracts';
import { inheritedEnvironment } from '@cardinal/servers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { chosenSettings, settingsOf } from '../src/settings.ts';
import { variablesPage } from './variables.ts';

afterEach(() => vi.unstubAllEnvs());

describe.each(serviceNames)('%s', (service) => {
  it('gets every setting of its own that we are given, and nothing else', () => {
    const names = settingsOf(service);
    for (const name of names) vi.stubEnv(name, `value of ${name}`);
    vi.stubEnv('SOME_SECRET', 'secret');
    vi.stubEnv('PORT', '1');
    const expected = Object.fromEntries(names.map((name) => [name, `value of ${name}`]));
    expect(chosenSettings(service)).toEqual(expected);
    expect(names.length).toBeGreaterThan(1);
    expect(Object.keys(inheritedEnvironment())).not.toContain('SOME_SECRET');
  });
});

it('every variable stands in the table of all', async () => {
  await expect(await variablesPage()).toMatchFileSnapshot('../../variables.md');
});

it('keeps the credentials of a bucket for the service that uses it', () => {
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  expect(chosenSettings('attachment')).not.toHaveProperty('AWS_SECRET_ACCESS_KEY');
  vi.stubEnv('STORAGE_URL', 's3://bucket');
  expect(chosenSettings('attachment')).toMatchObject({ AWS_SECRET_ACCESS_KEY: 'secret' });
  expect(chosenSettings('card')).not.toHaveProperty('AWS_SECRET_ACCESS_KEY');
});
