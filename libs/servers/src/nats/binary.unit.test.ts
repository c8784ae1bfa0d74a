import { expect, it } from 'vitest';
import { isUsable, sourcesOf } from './binary.ts';

it.each([
  ['nats-server: v2.9.25', false],
  ['nats-server: v1.99.0', false],
  ['nats-server: v2.10.0', true],
  ['nats-server: v2.11.0-RC.1\n', true],
  ['nats-server: v2.100.3', true],
  ['nats-server: v3.0.0', true],
  ['command not found', false],
  ['', false],
])('%s serves us: %s', (text, expected) => {
  expect(isUsable(text)).toBe(expected);
});

it("looks in newer suites than the machine's own, newest first, once per mirror", () => {
  const site = 'http://mirror.example/debian';
  const lines = [`${site} bookworm main`, `${site}-security bookworm-security main`, `${site} bookworm contrib`, ''];
  const sources = ['sid', 'testing', 'bookworm-backports', 'bookworm'].map((suite) => `deb ${site} ${suite} main`);
  expect(sourcesOf([...lines, ...lines], [])).toEqual(sources);
});

it('looks in the development release on Ubuntu, where the package is in universe', () => {
  expect(sourcesOf(['http://mirror.example/ubuntu noble main'], ['/a.gpg', '/b.gpg'])[0]).toBe(
    'deb [signed-by=/a.gpg,/b.gpg] http://mirror.example/ubuntu devel universe',
  );
});
