import { expect, it } from 'vitest';
import { sourcesOf } from './debian.ts';

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
