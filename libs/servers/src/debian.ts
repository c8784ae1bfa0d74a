import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

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

/** Those sources of this machine; none where there is no apt. */
export const machineSources = async (): Promise<string[]> => {
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

/** apt with a root of its own: it needs no rights and changes nothing on the machine, but uses its mirrors and keys. */
const aptConfig = (root: string) => `
Dir::State "${root}"; Dir::State::Status "/dev/null"; Dir::Cache "${root}";
Dir::Etc::SourceList "${root}/sources.list"; Dir::Etc::SourceParts "/dev/null";
APT::Sandbox::User "root"; Acquire::Languages { "none"; };
#clear APT::Update::Pre-Invoke; #clear APT::Update::Post-Invoke; #clear APT::Update::Post-Invoke-Success;
`;

/**
 * Downloads packages of an apt source, which apt verifies, and unpacks them side by side into a folder that is gone again
 * afterwards.
 * @param within where that folder is made
 * @param use receives the folder and the names of the packages' files
 * @throws what apt or dpkg say where they cannot be had
 */
export const withPackages = async <T>(
  source: string,
  packages: string[],
  within: string,
  use: (root: string, debs: string[]) => T,
): Promise<T> => {
  const root = mkdtempSync(join(within, 'apt-'));
  try {
    for (const folder of ['lists/partial', 'archives/partial']) mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, 'apt.conf'), aptConfig(root));
    writeFileSync(join(root, 'sources.list'), `${source}\n`);
    const apt = (...words: string[]) => run('apt-get', ['-qq', '-c', 'apt.conf', ...words], { cwd: root });
    await apt('update');
    await apt('download', ...packages);
    const debs = readdirSync(root).filter((name) => name.endsWith('.deb'));
    for (const deb of debs) await run('dpkg-deb', ['-x', deb, '.'], { cwd: root });
    return use(root, debs);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
};

/** What apt said, as ` (apt: …)`; undefined where it said nothing of its own. */
export const whyNot = (error: unknown): string | undefined => {
  const said = /^E: (.*)$/m.exec((error as { stderr?: string }).stderr ?? '')?.[1];
  return said && ` (apt: ${said})`;
};
