import { type Kind, type Manifest, ofKind } from '../manifest.ts';
import type { rules } from '../rules/index.ts';

/** What a manifest is changed by, loosely typed: it is to become wrong. */
// biome-ignore lint/suspicious/noExplicitAny: a wrong manifest has no type
export type Loose = any;

/** The object of a kind whose name begins so. */
export const one = (all: Manifest[], kind: Kind, name: string): Loose => {
  const found = ofKind(all, kind).find(({ metadata }) => metadata.name.startsWith(name));
  if (!found) throw new Error(`there is no ${kind} ${name}`);
  return found;
};
export const podOf = (all: Manifest[], name: string) => one(all, 'Deployment', name).spec.template.spec;
export const containerOf = (all: Manifest[], name: string) => podOf(all, name).containers[0];
export const without = (all: Manifest[], kind: Kind, name: string) => all.splice(all.indexOf(one(all, kind, name)), 1);
export const variable = (all: Manifest[], name: string, of: string) =>
  containerOf(all, name).env.find((entry: Loose) => entry.name === of);

/** A change that makes manifests wrong, and what a rule says of it. */
export type Broken = [what: string, change: (all: Manifest[]) => void, says: string];

export type BrokenFor<Names extends keyof typeof rules> = { [Name in Names]: Broken[] };
