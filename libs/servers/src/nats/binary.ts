import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder, searchPath } from '../config.ts';

const run = promisify(execFile);

/** The oldest nats-server that serves us: multi-valued batches and consumer features of 2.10. */
const oldest = [2, 10] as const;

/** True for what a nats-server that we can use prints of its version: `nats-server: v2.15.1` and its like. */
export const isUsable = (text: string): boolean => {
  const [, major, minor] = /\bv?(\d+)\.(\d+)\.\d+/.exec(text)?.map(Number) ?? [];
  if (major === undefined || minor === undefined) return false;
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
};

/** True when the program at `path` runs here and is new enough. */
const runs = (path: string): Promise<boolean> =>
  run(path, ['--version'], { timeout: 10_000 }).then(
    ({ stdout, stderr }) => isUsable(stdout + stderr),
    () => false,
  );

/**
 * Where the machine's own mirrors may have one that is new enough, as apt writes sources, the newest suite first: only
 * mirrors of the distribution itself carry newer suites under the same site.
 * @param lines `site release component`, as apt gives them
 * @param keyrings of the distribution; those that apt trusts anyway where there is none
 */
export const sourcesOf = (lines: string[], keyrings: string[]): string[] => {
  const signedBy = keyrings.length > 0 ? `[signed-by=${keyrings.join()}] ` : '';
  const known = lines.map((line) => line.trim().split(/\s+/)).filter((words) => words.length === 3);
  const sources = known.flatMap(([site = '', release = '', component = '']) => {
    if (component !== 'main' || site.includes('security')) return [];
    if (/ubuntu/.test(site)) return ['devel', release].map((suite) => `deb ${signedBy}${site} ${suite} universe`);
    const suites = ['sid', 'testing', `${release}-backports`, release];
    return suites.map((suite) => `deb ${signedBy}${site} ${suite} main`);
  });
  return [...new Set(sources)];
};

const machineSources = async (): Promise<string[]> => {
  const format = ['--format', '$(SITE) $(RELEASE) $(COMPONENT)', 'Created-By: Packages'];
  const lines = await run('apt-get', ['indextargets', ...format]).then(
    ({ stdout }) => stdout.split('\n'),
    () => [],
  );
  const folder = '/usr/share/keyrings';
  const keyrings = existsSync(folder) ? readdirSync(folder) : [];
  const ofDistribution = keyrings.filter((name) => /^(debian|ubuntu)-archive-keyring\.(gpg|pgp)$/.test(name));
  return sourcesOf(
    lines,
    ofDistribution.map((name) => join(folder, name)),
  );
};

/** apt with a root of its own: it needs no rights, changes nothing of the machine's, and takes its word for mirrors and keys. */
const aptConfig = (root: string) => `
Dir::State "${root}"; Dir::State::Status "/dev/null"; Dir::Cache "${root}";
Dir::Etc::SourceList "${root}/sources.list"; Dir::Etc::SourceParts "/dev/null";
APT::Sandbox::User "root"; Acquire::Languages { "none"; };
#clear APT::Update::Pre-Invoke; #clear APT::Update::Post-Invoke; #clear APT::Update::Post-Invoke-Success;
`;

/**
 * Puts the nats-server of an apt source into the cache; apt verifies it.
 * @returns its path there
 * @throws what apt or dpkg say where it cannot be had
 */
const fetchFrom = async (source: string, cache: string): Promise<string> => {
  const root = mkdtempSync(join(cache, 'apt-'));
  try {
    for (const folder of ['lists/partial', 'archives/partial']) mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, 'apt.conf'), aptConfig(root));
    writeFileSync(join(root, 'sources.list'), `${source}\n`);
    const apt = (...words: string[]) => run('apt-get', ['-qq', '-c', 'apt.conf', ...words], { cwd: root });
    await apt('update');
    await apt('download', 'nats-server');
    const deb = readdirSync(root).find((name) => name.endsWith('.deb')) ?? '';
    await run('dpkg-deb', ['-x', deb, '.'], { cwd: root });
    const program = ['usr/sbin/nats-server', 'usr/bin/nats-server'].map((path) => join(root, path)).find(existsSync);
    const target = join(cache, `nats-server-${deb.split('_')[1]}`);
    copyFileSync(program ?? '', join(root, 'ready'));
    renameSync(join(root, 'ready'), target);
    return target;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
};

const waysOut =
  '`brew install nats-server`, or `docker compose up -d` and NATS_URL=nats://127.0.0.1:4222, or put the binary from https://github.com/nats-io/nats-server/releases on the PATH';

/**
 * A nats-server of version 2.10 or later: one on the PATH, the one unpacked earlier, or the newest Debian package of
 * the machine's own mirror. Nothing is run for which the distribution's signature does not vouch.
 * @param tell receives a line when something is fetched
 * @throws Error of one line that says how to get one
 */
export const natsBinary = async (
  tell: (line: string) => void = () => {},
  { cache = cacheFolder, sources = machineSources } = {},
): Promise<string> => {
  mkdirSync(cache, { recursive: true });
  const onPath = searchPath().map((folder) => join(folder, 'nats-server'));
  const kept = readdirSync(cache).filter((name) => name.startsWith('nats-server-'));
  const newest = kept.sort().reverse();
  for (const path of [...onPath, ...newest.map((name) => join(cache, name))]) if (await runs(path)) return path;
  let why = '';
  for (const source of await sources()) {
    tell(`looking for nats-server: ${source}`);
    try {
      const path = await fetchFrom(source, cache);
      if (await runs(path)) return path;
    } catch (error) {
      const said = /^E: (.*)$/m.exec((error as { stderr?: string }).stderr ?? '')?.[1];
      if (said) why = ` (apt: ${said})`;
    }
  }
  throw new Error(`no nats-server 2.10 or later${why}: ${waysOut}`);
};
