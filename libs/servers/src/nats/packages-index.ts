/** A Debian package as an index describes it. */
export interface DebianPackage {
  version: string;
  /** Path below the mirror's site. */
  filename: string;
  sha256: string;
}

const field = (stanza: string, name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(stanza)?.[1];

/** Finds one package in the text of a `Packages` index (Debian policy: stanzas parted by empty lines). */
export const findPackage = (index: string, name: string): DebianPackage | undefined => {
  const start = index.startsWith(`Package: ${name}\n`) ? 0 : index.indexOf(`\nPackage: ${name}\n`);
  if (start < 0) return undefined;
  const end = index.indexOf('\n\n', start + 1);
  const stanza = index.slice(start, end < 0 ? undefined : end);
  const [version, filename, sha256] = [field(stanza, 'Version'), field(stanza, 'Filename'), field(stanza, 'SHA256')];
  return version && filename && sha256 ? { version, filename, sha256 } : undefined;
};

/** The SHA256 that a `Release` file names for the file at `path`. */
export const hashInRelease = (release: string, path: string): string | undefined =>
  release
    .slice(release.indexOf('\nSHA256:'))
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .find((words) => words[2] === path && words[0]?.length === 64)?.[0];

/** One index of packages that a mirror may carry. */
export interface Suite {
  site: string;
  suite: string;
  component: string;
}

/**
 * The suites to look in, newest first, from the lines `site release component` that apt gives: only mirrors of the
 * distribution itself carry newer suites under the same site.
 */
export const suitesOf = (lines: string[]): Suite[] => {
  const known = lines.map((line) => line.trim().split(/\s+/)).filter((words) => words.length === 3);
  const suites = known.flatMap(([site = '', release = '', component = '']): Suite[] => {
    if (component !== 'main' || site.includes('security')) return [];
    const newer = /ubuntu/.test(site) ? ['devel', release] : ['sid', 'testing', `${release}-backports`, release];
    return newer.map((suite) => ({ site, suite, component: /ubuntu/.test(site) ? 'universe' : 'main' }));
  });
  const key = (suite: Suite) => `${suite.site} ${suite.suite}`;
  return suites.filter((suite, at) => suites.findIndex((other) => key(other) === key(suite)) === at);
};
