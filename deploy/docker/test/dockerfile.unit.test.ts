import { serviceNames } from '@cardinal/contracts';
import { describe, expect, it } from 'vitest';
import { readText } from './compose-file.ts';

const text = readText('deploy/docker/Dockerfile');
/** Instructions, each in one line; comments left out. */
const instructions = text
  .replaceAll(/^\s*#.*$\n?/gm, '')
  .replaceAll('\\\n', ' ')
  .split('\n')
  .filter(Boolean);
/** The instructions of a stage and of those that it is built on. */
const stage = (name: string): string[] => {
  const at = instructions.findIndex((line) => line.startsWith('FROM ') && line.endsWith(` AS ${name}`));
  if (at < 0) return [];
  const end = instructions.findIndex((line, index) => index > at && line.startsWith('FROM '));
  const base = instructions[at]?.split(' ')[1] ?? '';
  return [...stage(base), ...instructions.slice(at, end < 0 ? undefined : end)];
};
const { version, engines } = JSON.parse(readText('package.json')) as { version: string; engines: { node: string } };

describe.each(['service', 'deploy'])('the image %s', (name) => {
  it('begins with nothing: no shell, no package manager, and nothing runs while it is put together', () => {
    expect(stage(name)[0]).toBe('FROM scratch AS runtime');
    expect(stage(name).filter((line) => line.startsWith('RUN '))).toEqual([]);
  });

  it('runs as a user that is not root, with tini as process 1', () => {
    expect(stage(name).filter((line) => line.startsWith('USER '))).toEqual(['USER 65532:65532']);
    const entrypoints = stage(name).filter((line) => line.startsWith('ENTRYPOINT '));
    expect(entrypoints).toEqual(['ENTRYPOINT ["/usr/bin/tini", "--", "/usr/local/bin/node"]']);
  });

  it('says what it is', () => {
    const labels = stage(name).find((line) => line.startsWith('LABEL ')) ?? '';
    for (const label of ['title', 'description', 'version', 'revision', 'licenses', 'base.name']) {
      expect(labels).toContain(`org.opencontainers.image.${label}=`);
    }
    expect(stage(name)).toContain(`ARG VERSION=${version}`);
  });
});

describe('deploy/docker/Dockerfile', () => {
  it('asks a service whether it is ready, without a shell', () => {
    const check = stage('service').find((line) => line.startsWith('HEALTHCHECK '));
    expect(check).toMatch(/CMD \["\/usr\/local\/bin\/node", "healthcheck.mjs"\]$/);
  });

  it('takes its one base image from an argument, with an exact version', () => {
    const bases = instructions.filter((line) => line.startsWith('FROM ')).map((line) => line.split(' ')[1] ?? '');
    const stages = instructions.filter((line) => line.startsWith('FROM ')).map((line) => line.split(' ')[3] ?? '');
    expect(bases.filter((base) => !['scratch', `\${NODE_IMAGE}`, ...stages].includes(base))).toEqual([]);
    const major = Number.parseInt(engines.node.replace('>=', ''), 10);
    expect(text).toMatch(
      new RegExp(`^ARG NODE_IMAGE=node:${major}\\.\\d+\\.\\d+-\\w+-slim(@sha256:[0-9a-f]{64})?$`, 'm'),
    );
  });

  it('is handed every package of this repository that an image needs', () => {
    const lock = JSON.parse(readText('package-lock.json')) as {
      packages: Record<string, { resolved?: string; dependencies?: Record<string, string> }>;
    };
    const needed = new Set<string>();
    const follow = (path: string) => {
      if (needed.has(path)) return;
      needed.add(path);
      for (const name of Object.keys(lock.packages[path]?.dependencies ?? {})) {
        if (name.startsWith('@cardinal/')) follow(lock.packages[`node_modules/${name}`]?.resolved ?? name);
      }
    };
    for (const path of ['deploy/docker', 'deploy/together']) follow(path);
    expect([...needed]).toEqual(expect.arrayContaining(serviceNames.map((name) => `services/${name}`)));
    const ignored = readText('.dockerignore').split('\n');
    expect([...needed].filter((path) => ignored.includes(path) || ignored.includes(`${path}/src`))).toEqual([]);
  });

  it('fetches nothing that is not in the lock file', () => {
    const fetching = instructions.filter((line) => /npm (ci|install|exec)|npx|curl|wget|^ADD /.test(line));
    expect(fetching).toHaveLength(1);
    expect(fetching[0]).toContain('npm ci --omit=dev --ignore-scripts');
  });
});
