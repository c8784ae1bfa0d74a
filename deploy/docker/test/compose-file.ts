import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '@cardinal/servers';
import { parse } from 'yaml';

/** What the tests look at of a service of the compose file. */
export interface ComposeService {
  image: string;
  build?: { target?: string; args?: Record<string, string> };
  pull_policy?: string;
  user?: string;
  init?: boolean;
  command?: string[];
  profiles?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  pids_limit?: number;
  mem_limit?: string;
  cpus?: number;
  restart?: string;
  stop_grace_period?: string;
  environment?: Record<string, string | number>;
  labels?: Record<string, string>;
  ports?: string[];
  volumes?: string[];
  networks?: string[] | Record<string, { aliases?: string[] }>;
  network_mode?: string;
  healthcheck?: { test?: string[]; disable?: boolean };
  depends_on?: Record<string, { condition: string; required?: boolean }>;
}

interface ComposeFile {
  services: Record<string, ComposeService>;
  networks: Record<string, { internal?: boolean }>;
  [field: `x-${string}`]: Record<string, unknown> | undefined;
}

export const readText = (path: string) => readFileSync(join(repository, path), 'utf8');

/**
 * The compose file of the whole product, with its merges made and its variables as they stand. Each service takes some
 * aliases, of which a parser allows a hundred where it trusts nobody.
 */
export const compose = parse(readText('docker-compose.yml'), { merge: true, maxAliasCount: -1 }) as ComposeFile;

/** The variables of an extension field (`x-common`); none where the file has no such field. */
export const writtenByHand = (name: string): string[] => Object.keys(compose[`x-${name}`] ?? {});
