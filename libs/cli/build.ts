import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const here = import.meta.dirname;
const dist = join(here, 'dist');

/** The folder of the package that a module is of; undefined for what is ours. */
const packageOf = (id: string): string | undefined => /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(id)?.[0];

/** What whoever passes a package on has to pass on with it. */
const noticeOf = async (folder: string): Promise<string> => {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const files = (await readdir(folder)).filter((file) => /^licen[cs]e(\.|$)/i.test(file));
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return [`${name} ${version}: ${license}`, ...texts.map((text) => text.trim())].join('\n\n');
};

// Files that need no package: they start faster, and are installed without a registry. What a command loads when it is
// called has one of its own.
const bundle = await rolldown({ input: join(here, 'src/main.ts'), platform: 'node' });
const { output } = await bundle.write({ dir: dist, cleanDir: true, entryFileNames: 'cardinal.js', format: 'esm' });
await bundle.close();
await chmod(join(dist, 'cardinal.js'), 0o755);

const modules = output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []));
const packages = [...new Set(modules.flatMap((id) => packageOf(id) ?? []))].sort();
await writeFile(join(dist, 'LICENSES.txt'), `${(await Promise.all(packages.map(noticeOf))).join('\n\n----\n\n')}\n`);
