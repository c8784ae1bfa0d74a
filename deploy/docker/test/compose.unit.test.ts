import { type ServiceName, serviceNames } from '@cardinal/contracts';
import { environmentOf } from '@cardinal/host';
import { configSchemas } from '@cardinal/servers';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type ComposeService, compose, readText } from './compose-file.ts';
import { fixedVariables } from './rendered/compose.ts';

const schemas = await configSchemas();
const services = Object.entries(compose.services);
/** Where images of ours are from: the one line of `.env` moves all of them to a registry. */
const isOwn = ({ image }: ComposeService) => image.startsWith(`\${CARDINAL_IMAGES:-cardinal}/`);
const own = services.filter(([, service]) => isOwn(service));
const others = services.filter(([, service]) => !isOwn(service));
const running = ({ restart }: ComposeService) => restart === 'unless-stopped';
/** Names of what runs with a profile, and with any other. */
const of = (profile: string) =>
  services.filter(([, { profiles }]) => profiles?.includes(profile)).map(([name]) => name);
const networksOf = ({ networks = [] }: ComposeService) => (Array.isArray(networks) ? networks : Object.keys(networks));
const { version } = JSON.parse(readText('package.json')) as { version: string };

/** Names of the services of which `rule` does not hold. */
const breaking = (rule: (service: ComposeService) => boolean, among = services) =>
  among.filter(([, service]) => !rule(service)).map(([name]) => name);

describe('docker-compose.yml', () => {
  it('lets no process write elsewhere than in its volumes, or gain a privilege', () => {
    expect(breaking(({ read_only }) => read_only === true)).toEqual([]);
    expect(breaking(({ cap_drop }) => cap_drop?.join() === 'ALL')).toEqual([]);
    expect(breaking(({ security_opt }) => security_opt?.includes('no-new-privileges:true') === true)).toEqual([]);
  });

  it('runs nothing as root: images of ours have a user, of others it is named', () => {
    expect(breaking(({ user }) => /^[1-9]\d*:[1-9]\d*$/.test(user ?? ''), others)).toEqual([]);
    expect(breaking(({ user }) => user === undefined, own)).toEqual([]);
  });

  it('gives every process its share of the machine and no more', () => {
    const limited = ({ mem_limit, cpus, pids_limit }: ComposeService) => !!mem_limit && !!cpus && !!pids_limit;
    expect(breaking(limited)).toEqual([]);
  });

  it('has something reap and pass on signals as process 1 everywhere', () => {
    expect(breaking(({ init }) => init === true, others)).toEqual([]);
    expect(readText('deploy/docker/Dockerfile')).toContain('ENTRYPOINT ["/usr/bin/tini", "--", "/usr/local/bin/node"]');
  });

  it('names one exact version of every image', () => {
    expect(breaking(({ image }) => image.endsWith(`:\${CARDINAL_VERSION:-${version}}`), own)).toEqual([]);
    // Postgres counts in two numbers, the others in three.
    const exact = /(^postgres:\d+\.\d+|:v?\d+\.\d+\.\d+)(-\w+)?(@sha256:[0-9a-f]{64})?$/;
    expect(breaking(({ image }) => exact.test(image), others)).toEqual([]);
  });

  it('has one service build each image of ours, and asks no registry for it, as nothing of ours is published', () => {
    const images = own.map(([, { image }]) => image);
    const built = own.flatMap(([, { image, build }]) => (build ? [image] : []));
    expect(built.toSorted()).toEqual([...new Set(images)].toSorted());
    expect(breaking(({ pull_policy }) => pull_policy === `\${CARDINAL_PULL:-never}`, own)).toEqual([]);
    expect(breaking(({ pull_policy }) => pull_policy === undefined, others)).toEqual([]);
  });

  it('labels each image with its version and revision', () => {
    const labels = { VERSION: `\${CARDINAL_VERSION:-${version}}`, REVISION: `\${CARDINAL_REVISION:-unknown}` };
    for (const [, { build }] of own) if (build) expect(build.args).toMatchObject(labels);
  });

  it('knows no secret: each must be given, and none has a default', () => {
    const secret = /(PASSWORD|SECRET|_KEY)/;
    const text = readText('docker-compose.yml');
    const defaulted = [...text.matchAll(/\$\{(\w+)(:?-)([^}]*)\}/g)].filter(([, name = '']) => secret.test(name));
    expect(defaulted.filter(([, , , value]) => value !== '')).toEqual([]);
    const values = services.flatMap(([, { environment = {} }]) => Object.entries(environment));
    const literal = values.filter(
      ([name, value]) => (secret.test(name) || /\/\/\w+:.+@/.test(String(value))) && !String(value).includes('${'),
    );
    expect(literal).toEqual([]);
  });

  it('starts nothing before what it needs is there', () => {
    const conditions = services.flatMap(([name, { depends_on = {} }]) =>
      Object.entries(depends_on).map(([on, { condition }]) => ({ name, on, condition })),
    );
    const wrong = conditions.filter(({ on, condition }) => {
      const target = compose.services[on];
      if (!target) return true;
      return condition !== (running(target) ? 'service_healthy' : 'service_completed_successfully');
    });
    expect(wrong).toEqual([]);
    expect(breaking((service) => !running(service) || service.healthcheck !== undefined, others)).toEqual([]);
  });

  it('leaves a service longer to stop than it takes', () => {
    const stopped = (service: ComposeService) =>
      !running(service) || Number.parseInt(service.stop_grace_period ?? '0', 10) > 15;
    expect(breaking(stopped, own)).toEqual([]);
  });

  it('shows the world the API and the files, and keeps the servers among themselves', () => {
    const published = services.filter(([, { ports }]) => ports).map(([name]) => name);
    expect(published).toEqual(['proxy', 'prometheus']);
    expect(compose.networks.inside?.internal).toBe(true);
    // The gateway asks an issuer for its keys, attachment a bucket, clamav for signatures; event sends webhooks.
    const sociable = services.filter(([, service]) => networksOf(service).some((name) => name !== 'inside'));
    const names = ['attachment', 'event', 'gateway', 'all', 'proxy', 'clamav', 'prometheus'];
    expect(sociable.map(([name]) => name)).toEqual(names);
    const loopback = ({ ports = [] }: ComposeService) =>
      ports.every((port) => /^(\$\{CARDINAL_LISTEN:-127\.0\.0\.1\}|127\.0\.0\.1):/.test(port));
    expect(breaking(loopback)).toEqual([]);
  });
});

/** The services of a file that is laid over the compose file. */
const servicesOver = (file: string) =>
  (parse(readText(file), { logLevel: 'error' }) as { services: Record<string, ComposeService> }).services;
const isOut = (name: string, over: Record<string, ComposeService>) =>
  [compose.services[name], over[name]].some((one) => one && networksOf(one).includes('outside'));

describe('deploy/docker/outside.yml', () => {
  it('lets every service out', () => {
    const over = servicesOver('deploy/docker/outside.yml');
    expect(serviceNames.filter((name) => !isOut(name, over))).toEqual([]);
  });
});

describe('deploy/docker/external.yml', () => {
  const over = servicesOver('deploy/docker/external.yml');
  const left = Object.keys(over).filter((name) => over[name]?.profiles?.includes('inside'));

  it('leaves the servers out, and lets everything out that asks them', () => {
    expect(left).toEqual(['postgres', 'nats', 'reload']);
    const asking = services.filter(([, { environment = {} }]) =>
      Object.keys(environment).some((name) => /(DATABASE|NATS)_URL$/.test(name)),
    );
    expect(asking.length).toBeGreaterThan(20);
    expect(asking.filter(([name]) => !isOut(name, over)).map(([name]) => name)).toEqual([]);
  });

  it('has nothing wait for what it leaves out', () => {
    const waiting = services.filter(
      ([name, { depends_on = {} }]) => !left.includes(name) && Object.keys(depends_on).some((on) => left.includes(on)),
    );
    expect(waiting.filter(([name]) => over[name]?.depends_on === undefined).map(([name]) => name)).toEqual([]);
    expect(Object.values(over).flatMap(({ depends_on = {} }) => Object.keys(depends_on))).toEqual([
      'keys',
      'registers',
    ]);
  });
});
describe('deploy/docker/tls.yml', () => {
  it('hardens its container as the others are, and leaves it the one capability of its program', () => {
    const { tls } = (parse(readText('deploy/docker/tls.yml')) as { services: { tls: ComposeService } }).services;
    expect(tls).toMatchObject({ read_only: true, init: true, cap_drop: ['ALL'], restart: 'unless-stopped' });
    expect(tls).toMatchObject({ security_opt: ['no-new-privileges:true'], networks: ['public'] });
    expect(tls.image).toMatch(/:\d+\.\d+\.\d+/);
  });
});

describe('a variable in .env', () => {
  /** The variables of a service that no line of `.env` reaches. */
  const unreached = (name: ServiceName, environment: ComposeService['environment'] = {}) =>
    Object.keys(schemas[name].shape).filter((variable) => !String(environment[variable]).includes(`\${${variable}`));

  it.each(serviceNames)('takes effect at %s, in a process of its own and in that of all', (name) => {
    const all = environmentOf(name, compose.services.all?.environment as Record<string, string>);
    for (const environment of [compose.services[name]?.environment, all as Record<string, string>]) {
      expect(unreached(name, environment).filter((variable) => !fixedVariables.includes(variable))).toEqual([]);
    }
  });

  it('is one that the README excepts where it takes none', () => {
    const fixed = serviceNames.flatMap((name) => unreached(name, compose.services[name]?.environment));
    expect([...new Set(fixed)].sort()).toEqual([...fixedVariables].sort());
    const [, row = ''] = /^\| .*variables\.md.* without (.*) \|$/m.exec(readText('deploy/docker/README.md')) ?? [];
    expect([...row.matchAll(/`(\w+)`/g)].map(([, variable]) => variable).sort()).toEqual([...fixedVariables].sort());
  });
});

describe('all services in one process', () => {
  it('are in the place of those of their own, and nothing else is', () => {
    const migrations = of('apart').filter((name) => name.startsWith('migrate-'));
    expect(of('apart').filter((name) => !migrations.includes(name))).toEqual(serviceNames);
    expect(of('together')).toEqual([...migrations.map((name) => `together-${name}`), 'all']);
  });

  it('get what each gets as a process of its own', () => {
    const all = compose.services.all?.environment as Record<string, string>;
    for (const name of serviceNames) {
      // What must be given is said once.
      const said = JSON.stringify(compose.services[name]?.environment).replaceAll(/(DATABASE_PASSWORD):\?[^}]*/g, '$1');
      expect(environmentOf(name, all)).toMatchObject(JSON.parse(said));
    }
  });

  it('have their schemas from the same image', () => {
    for (const name of of('together')) expect(compose.services[name]?.image).toMatch(/\/all:/);
    for (const name of of('apart')) expect(compose.services[name]?.image).not.toMatch(/\/all:/);
  });
});

describe('one server for a team (deploy/together/README.md)', () => {
  const [, section = ''] = readText('deploy/together/README.md').split('\n## One server for a team\n');
  /** What a pattern finds first in the section, each once. */
  const named = (pattern: RegExp) => [...new Set([...section.matchAll(pattern)].map(([, name = '']) => name))];

  it('runs scripts, services and variables that are there', () => {
    const scripts = named(/\bsh (deploy\/\S+\.sh)/g);
    expect(scripts.sort()).toEqual(['backup', 'env', 'restore', 'upgrade'].map((one) => `deploy/docker/${one}.sh`));
    expect(scripts.filter((script) => readText(script) === '')).toEqual([]);
    const jobs = named(/docker compose run --rm (\w+)/g);
    expect(jobs.filter((job) => !compose.services[job]?.profiles?.includes('tools'))).toEqual([]);
    const variables = named(/^([A-Z_]+)=/gm);
    expect(variables).toContain('PUBLIC_URL');
    expect(variables.filter((variable) => !readText('docker-compose.yml').includes(`\${${variable}`))).toEqual([]);
  });

  it('says what containers may take', () => {
    const limit = (name: string) => compose.services[name]?.mem_limit;
    expect(['all', 'postgres', 'nats', 'proxy'].map(limit)).toEqual(['1536m', '1g', '512m', '256m']);
    expect(section).toContain('1.5 GB (all services), 1 GB (Postgres), 512 MB (NATS) and 256 MB (proxy)');
  });
});

describe('deploy/docker/upgrade.sh', () => {
  it('sets what it is about once: variables of a shell function are those of the whole script', () => {
    const script = readText('deploy/docker/upgrade.sh');
    const times = (name: string) => [...script.matchAll(new RegExp(`(^|[ ;])${name}=`, 'gm'))].length;
    expect(['jobs', 'inside', 'behind', 'patience', 'way', 'running'].filter((name) => times(name) !== 1)).toEqual([]);
  });

  it('has the proxy read its file when every service is replaced: the process that ends looks for no new instances', () => {
    const script = readText('deploy/docker/upgrade.sh');
    expect(script.indexOf('docker kill -s HUP')).toBeGreaterThan(script.lastIndexOf('replace $service'));
  });

  it('runs every job before it replaces a service, and replaces every service', () => {
    const script = readText('deploy/docker/upgrade.sh');
    const named = (variables: string) =>
      [...script.matchAll(RegExp(`^(?:${variables})='([^']*)'$`, 'gm'))]
        .flatMap(([, names = '']) => names.split(/\s+/))
        .sort();
    const jobs = own
      .filter(([, service]) => !running(service) && !service.profiles?.includes('tools'))
      .map(([name]) => name);
    expect(named('jobs')).toEqual([...jobs, 'reload'].sort());
    const replaced = own.filter(([, service]) => running(service)).map(([name]) => name);
    expect(named('inside|behind')).toEqual(replaced.sort());
  });
});
