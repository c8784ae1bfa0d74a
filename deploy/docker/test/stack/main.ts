// npm run test:deploy: builds the images, runs the product in containers of its own, and does to it what happens in its life.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceNames } from '@cardinal/contracts';
import { hasService, repository } from '@cardinal/servers';
import { rememberNumbers } from '@cardinal/testkit/numbers-told';
import { keptConnection } from '../kept-connection.ts';
import { asUser, make, newUser, startLoad, upload } from './client.ts';
import { docker, engineProblem, run } from './docker.ts';
import { buildImages, checkOutBefore, imageSizes, removeImages, tagImages } from './images.ts';
import { keepLogs } from './logs.ts';
import { type ComposeStack, describeStack } from './stack.ts';

const tags = { former: 'test-former', now: 'test' };
const report = (line: string) => process.stdout.write(`${line}\n`);
const round = (value: number) => Math.round(value * 10) / 10;

/** How long something takes where two cores have nothing else to do, s; and what it may take before it counts as broken. */
const usual = { up: [9, 22], 'whole again': [6, 22] } as const;
const maxSeconds = 300;

/** A time beside what is usual. @throws Error where it is far beyond */
const within = (what: keyof typeof usual, seconds: number): string => {
  const [least, most] = usual[what];
  if (seconds > maxSeconds) throw new Error(`${what} only after ${round(seconds)} s`);
  return `${round(seconds)} s (usually ${least} to ${most})`;
};

type Card = { id: string; identifier: string };

const acceptance = 'services/gateway/acceptance';

/** Acceptance tests; those that kill processes, start further ones or look into databases need a stack of their own. */
const acceptanceTests = () => {
  const files = readdirSync(join(repository, acceptance)).filter((name) => name.endsWith('.acceptance.test.ts'));
  const needsOwn = (name: string) => readFileSync(join(repository, acceptance, name), 'utf8').includes('startWorld');
  return { fromOutside: files.filter((name) => !needsOwn(name)), leftOut: files.filter(needsOwn) };
};

const accept = async ({ origin, keys }: ComposeStack) => {
  const { fromOutside, leftOut } = acceptanceTests();
  report(`acceptance tests against it; left out, as they need a stack of their own: ${leftOut.join(', ')}`);
  const vitest = join(repository, 'node_modules/vitest/vitest.mjs');
  const env = { ACCEPTANCE_URL: origin, ACCEPTANCE_KEYS: keys };
  const files = fromOutside.map((name) => `${acceptance}/${name}`);
  await run(process.execPath, [vitest, 'run', ...files], { cwd: repository, env, shown: true });
};

const doctor = async (stack: ComposeStack) => {
  const said = String(await stack.compose(tags.now, ['run', '--rm', '-T', 'doctor']));
  report(`the doctor finds nothing: ${said.match(/^ok/gm)?.length} rules hold`);
};

const ofProject = (name: string) => ['--filter', `label=com.docker.compose.project=${name}`];

/** What services that have nothing to do may take on average, MB, and the container that runs all of them. */
const maxIdleMb = { apart: 90, together: 250 };

/** Memory of the services, MB, as the engine counts it. */
const memory = async (name: string) => {
  const containers = await docker('ps', ...ofProject(name), '--format', '{{.Names}}');
  const used = await docker('stats', '--no-stream', '--format', '{{.Name}} {{.MemUsage}}', ...containers.split('\n'));
  const megabytes = used.split('\n').map((line) => {
    const [, of = '', count = 0, unit] = /^\S+?-(\w+)-\d+ ([\d.]+)(MiB|GiB)/.exec(line) ?? [];
    return { of, size: Number(count) * (unit === 'GiB' ? 1_074 : 1.049) };
  });
  const all = megabytes.filter(({ of }) => of === 'all');
  const own = all.length > 0 ? all : megabytes.filter(({ of }) => (serviceNames as readonly string[]).includes(of));
  const sum = own.reduce((total, { size }) => total + size, 0);
  report(
    `idle: ${megabytes.map(({ of, size }) => `${of} ${Math.round(size)} MB`).join(', ')}; services ${Math.round(sum)} MB`,
  );
  const most = all.length > 0 ? maxIdleMb.together : maxIdleMb.apart * own.length;
  if (sum > most) throw new Error(`the services take more than ${most} MB`);
};

/**
 * @param before the checkout of the release before, which may lack a service: that one stays as it is
 * @throws Error where an instance of a service runs an image of another tag
 */
const expectImages = async ({ name }: ComposeStack, tag: string, before: string) => {
  const images = (await docker('ps', ...ofProject(name), '--format', '{{.Image}}')).split('\n');
  const wrong = serviceNames.filter((service) => {
    const expected = tag === tags.former && !hasService(service, before) ? tags.now : tag;
    const own = images.filter((image) => image.startsWith(`cardinal/${service}:`));
    return own.length !== 1 || !own[0]?.endsWith(`:${expected}`);
  });
  if (wrong.length > 0) throw new Error(`not replaced by one of ${tag}: ${wrong.join(', ')}`);
};

/** To this release, back, and to it again: no request may fail. */
const upgrade = async (stack: ComposeStack, before: string) => {
  const stop = await startLoad(stack.origin, stack.keys, 4);
  const begun = performance.now();
  await stack.lay(repository);
  for (const [tag, ...words] of [[tags.now], [tags.former, 'back'], [tags.now]] as const) {
    await stack.upgrade(tag, ...words);
    await expectImages(stack, tag, before);
  }
  const took = round((performance.now() - begun) / 1000);
  const { requests, failures } = await stop();
  report(`upgraded, back and again under load in ${took} s: ${requests} requests, failed: ${JSON.stringify(failures)}`);
  if (Object.keys(failures).length > 0) throw new Error('requests failed during the upgrade');
};

/** One container for all services in the place of six, and back: no request may fail. */
const together = async (stack: ComposeStack) => {
  for (const to of ['together', 'apart'] as const) {
    const stop = await startLoad(stack.origin, stack.keys, 4);
    const begun = performance.now();
    await stack.change(tags.now, to);
    const took = round((performance.now() - begun) / 1000);
    const { requests, failures } = await stop();
    const images = (await docker('ps', ...ofProject(stack.name), '--format', '{{.Image}}')).split('\n');
    const running = [...serviceNames, 'all']
      .filter((name) => images.includes(`cardinal/${name}:${tags.now}`))
      .join(', ');
    report(`${to} under load in ${took} s: ${running}; ${requests} requests, failed: ${JSON.stringify(failures)}`);
    const expected = to === 'together' ? 'all' : serviceNames.join(', ');
    if (running !== expected) throw new Error(`${to}, but it runs ${running}`);
    if (Object.keys(failures).length > 0) throw new Error(`requests failed while it went ${to}`);
    if (to === 'apart') continue;
    await memory(stack.name);
    await accept(stack);
    await doctor(stack);
  }
};

/** The programs of a container, by what their command lines end with or are called. */
const programs: Record<string, string> = {
  ...Object.fromEntries(serviceNames.map((service) => [service, 'main.ts'])),
  postgres: 'postgres',
  nats: 'nats-server',
};

/** Ends what process 1 of a container started, as a crash would. */
const killProgram = (stack: ComposeStack, service: string, program: string) => {
  const inNode = `const { readdirSync, readFileSync } = require('fs');
    const [pid] = readdirSync('/proc').filter((name) => /^\\d+$/.test(name) && name !== '1'
      && readFileSync('/proc/' + name + '/cmdline', 'latin1').endsWith('${program}\\0'));
    process.kill(Number(pid), 'SIGKILL')`;
  const inShell = `for p in /proc/[0-9]*; do read -r c < $p/comm; [ "$c" = ${program} ] && kill -9 \${p#/proc/}; done`;
  const words = program === 'main.ts' ? ['/usr/local/bin/node', '-e', inNode] : ['sh', '-c', inShell];
  // It ends with the container that it is in.
  return stack.compose(tags.now, ['exec', '-T', service, ...words]).catch(() => {});
};

const crash = async (stack: ComposeStack) => {
  const user = await newUser(stack.origin, stack.keys);
  const card = await make<Card>(user, `/columns/${user.column}/cards`, { title: 'Kept' });
  for (const [service, program] of Object.entries(programs)) await killProgram(stack, service, program);
  const seconds = await stack.up(tags.now);
  for (const service of Object.keys(programs)) {
    const id = String(await stack.compose(tags.now, ['ps', '--quiet', service])).trim();
    const restarts = Number(await docker('inspect', '--format', '{{.RestartCount}}', id));
    if (restarts === 0) throw new Error(`${service} was not killed`);
  }
  const { body } = await user.get<{ card: Card }>(`/cards/by-identifier/${card.identifier}`);
  if (body.data?.card.id !== card.id) throw new Error(`${card.identifier} is gone after the crash`);
  report(
    `every process was killed; whole again after ${within('whole again', seconds)}, and ${card.identifier} is still there`,
  );
};

/** Without a gateway it is the proxy that answers, as the API does, and soon, also over connections that were kept. */
const withoutGateway = async (stack: ComposeStack) => {
  const clients = Array.from({ length: 6 }, () => keptConnection(Number(new URL(stack.origin).port)));
  for (const { ask } of clients) await ask('GET');
  await stack.compose(tags.now, ['stop', 'gateway']);
  const begun = performance.now();
  const answers = await Promise.all(clients.map(({ ask }) => ask('GET', { 'x-request-id': 'of-the-client' })));
  const seconds = (performance.now() - begun) / 1000;
  for (const { status, headers, body, kept } of answers) {
    const { code, request_id } = body ? JSON.parse(body).error : {};
    const said = [status, headers['retry-after'], headers['x-request-id'], code, request_id, kept].join(' ');
    if (said !== '503 1 of-the-client unavailable of-the-client true')
      throw new Error(`without a gateway, the proxy answers ${said}`);
  }
  for (const { end } of clients) end();
  if (seconds > 4) throw new Error(`without a gateway, the proxy answers only after ${round(seconds)} s`);
  report(`without a gateway: 503 over ${clients.length} kept connections, after ${round(seconds)} s at most`);
  await stack.up(tags.now);
};

/** Workstreams that the backups have, and one that is made after them. */
const known = ['RA', 'RB', 'RC', 'RD', 'RE', 'RF', 'RG', 'RH', 'RI'];
const later = 'LATER';

/**
 * Backup and restore, as deploy/docker/README.md says: a file, a webhook and cards come back, and none of 1,000 numbers that
 * were given out after the backup is given again, also where the same backup is restored once more, and then an older one.
 */
const restore = async (from: ComposeStack, to: ComposeStack, folder: string) => {
  const user = await newUser(from.origin, from.keys);
  const file = await upload(user, 'note.txt', 'In the backup');
  const hook = await make(user, '/webhooks', { url: 'https://example.com/', types: [] });
  const numbers = await rememberNumbers(user);
  const workstreams = await Promise.all(known.map((prefix) => numbers.workstream(prefix)));
  await from.script(tags.now, 'backup.sh', folder);
  const [older = ''] = readdirSync(folder);
  await numbers.create(workstreams, 5);
  await from.script(tags.now, 'backup.sh', folder);
  await numbers.create([...workstreams, await numbers.workstream(later)], 100);
  const restores = { 'for the first time': folder, 'once more': folder, 'from an older backup': join(folder, older) };
  for (const [which, backup] of Object.entries(restores)) {
    await to.script(tags.now, 'restore.sh', '--replace-secrets', backup);
    await to.up(tags.now);
    // The same key signs tokens there.
    const same = await asUser(to.origin, to.keys, user);
    const { headers } = await same.get(`/files/${file}/content`);
    const content = await fetch(headers.get('location') ?? '');
    if ((await content.text()) !== 'In the backup') throw new Error(`a file is lost: ${content.status}`);
    const { failing_reason } = (await same.get<{ failing_reason: string }>(`/webhooks/${hook.id}`)).body.data;
    if (failing_reason === 'secret') throw new Error('the secret of a webhook cannot be opened');
    const again = numbers.at(same);
    await again.create([...workstreams, await again.workstream(later)], 20);
    const { answered, lost, twice, another } = await again.check();
    if (twice.length + another.length > 0) throw new Error(`given twice: ${[...twice, ...another].join('; ')}`);
    report(`restored ${which}: ${answered} identifiers, ${lost} lost, none given twice`);
    await doctor(to);
    await to.down();
  }
};

/** @param logs where what its containers say is written, a file each */
const live = async (folder: string, name: string, logs: string) => {
  const former = join(folder, 'former');
  const commit = await checkOutBefore(former);
  const stack = await describeStack(name, join(folder, 'first'), commit ? former : repository);
  const second = await describeStack(`${name}-restored`, join(folder, 'second'));
  const kept = [stack, second].map((one) => keepLogs(one.name, logs));
  try {
    if (commit) await buildImages(former, tags.former, stack.secrets);
    const begun = performance.now();
    await buildImages(repository, tags.now, second.secrets);
    report(
      `images in ${round((performance.now() - begun) / 1000)} s: ${JSON.stringify(await imageSizes(tags.now))} MB`,
    );
    // Nothing was released yet: instances are replaced by others of the same build.
    if (!commit) await tagImages(tags.now, tags.former);
    report(`up, as of ${commit?.slice(0, 8) ?? 'this checkout'}, in ${within('up', await stack.up(tags.former))}`);
    await upgrade(stack, commit ? former : repository);
    await memory(name);
    await accept(stack);
    await doctor(stack);
    await together(stack);
    await crash(stack);
    await withoutGateway(stack);
    await restore(stack, second, join(folder, 'backups'));
  } finally {
    for (const one of [stack, second]) await one.down().catch((error) => report(String(error)));
    for (const end of kept) await end();
    await removeImages(Object.values(tags)).catch(() => {});
  }
};

const problem = await engineProblem();
if (problem) {
  report(
    `NOT TESTED, as no Docker engine with Compose answers: images, the stack, upgrade, crash, restore (${problem})`,
  );
} else {
  const folder = mkdtempSync(join(tmpdir(), 'cardinal-deploy-'));
  const logs = mkdtempSync(join(tmpdir(), 'cardinal-deploy-logs-'));
  try {
    await live(folder, `cardinal-test-${process.pid}`, logs);
    rmSync(logs, { recursive: true });
  } catch (error) {
    report(`FAILED: ${error instanceof Error ? error.stack : error}`);
    report(`what every job and service said is in ${logs}`);
    process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
