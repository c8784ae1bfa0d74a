// Writes what the image of one workspace is made of: `node closure.mjs <workspace folder> <output folder> [--without a,b]`.
//   manifests/  package.json and package-lock.json with the packages that the workspace needs, and no other
//   sources/    its source and that of the workspaces it needs, without tests
// npm itself leaves nothing out: `npm ci --omit=dev --workspace x` installs what every workspace needs.
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const [folder, out, , without = ''] = process.argv.slice(2);
const leftOut = new Set(without.split(',').filter(Boolean));
const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const lock = read('package-lock.json');

/** Where Node finds `name` from `path`: in the nearest node_modules on the way up. */
const resolve = (path, name) => {
  for (let at = path; ; at = at === '.' ? '' : dirname(at)) {
    const found = at === '' || at === '.' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (lock.packages[found]) return found;
    if (at === '' || at === '.') return undefined;
  }
};

/** Paths in the lock file of everything that the workspace needs at run time, links to workspaces included. */
const closure = new Set();
const follow = (path) => {
  if (closure.has(path)) return;
  closure.add(path);
  const entry = lock.packages[path];
  if (entry.link) return follow(entry.resolved);
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta = {} } = entry;
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
    if (leftOut.has(name)) continue;
    const found = resolve(path, name);
    if (found) follow(found);
    else if (dependencies?.[name] || !(optionalDependencies?.[name] || peerDependenciesMeta[name]?.optional)) {
      throw new Error(`${path} needs ${name}, which the lock file does not have`);
    }
  }
};
follow(`node_modules/${lock.packages[folder].name}`);

const { version } = read('package.json');
/** Without what is for development; the packages of this repository have its version, which the SBOM wants. */
const reduced = ({ devDependencies, scripts, ...manifest }, own = false) => {
  const dependencies = Object.entries(manifest.dependencies ?? {}).filter(([name]) => !leftOut.has(name));
  return {
    ...manifest,
    ...(own ? { version } : {}),
    ...(manifest.dependencies ? { dependencies: Object.fromEntries(dependencies) } : {}),
  };
};
const write = (file, value) => {
  mkdirSync(dirname(join(out, file)), { recursive: true });
  writeFileSync(join(out, file), `${JSON.stringify(value, null, 2)}\n`);
};

const workspaces = [...closure].filter((path) => !path.includes('node_modules/')).sort();
const root = { ...reduced(read('package.json')), workspaces };
write('manifests/package.json', root);
for (const path of workspaces) {
  write(`manifests/${path}/package.json`, reduced(read(`${path}/package.json`), true));
  const source = `${path}/src`;
  if (existsSync(source)) {
    cpSync(source, join(out, 'sources', source), { recursive: true, filter: (file) => !file.endsWith('.test.ts') });
  }
}
const entries = [...closure].sort().map((path) => [path, reduced(lock.packages[path], workspaces.includes(path))]);
const { name, license } = lock.packages[''];
const packages = { '': { name, version, license, workspaces }, ...Object.fromEntries(entries) };
write('manifests/package-lock.json', { ...lock, packages });
