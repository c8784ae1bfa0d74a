import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const here = import.meta.dirname;
const dist = join(here, 'dist');

/** The folder of a module's package; undefined for modules of this repository. */
const packageOf = (id: string): string | undefined => /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(id)?.[0];

/** Licences that a distribution of a package has to include. */
const noticeOf = async (folder: string): Promise<string> => {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const files = (await readdir(folder)).filter((file) => /^licen[cs]e(\.|$)/i.test(file));
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return [`${name} ${version}: ${license}`, ...texts.map((text) => text.trim())].join('\n\n');
};

// Bundles without dependencies start faster, and are installed without a registry. Code that a command loads on demand is a
// bundle of its own.
const bundle = await rolldown({ input: join(here, 'src/main.ts'), platform: 'node' });
const { output } = await bundle.write({ dir: dist, cleanDir: true, entryFileNames: 'cardinal.js', format: 'esm' });
await bundle.close();
await chmod(join(dist, 'cardinal.js'), 0o755);

const modules = output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []));
const packages = [...new Set(modules.flatMap((id) => packageOf(id) ?? []))].sort();
await writeFile(join(dist, 'LICENSES.txt'), `${(await Promise.all(packages.map(noticeOf))).join('\n\n----\n\n')}\n`);
