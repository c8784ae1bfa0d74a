import { readFileSync } from 'node:fs';
import { type DatabaseOwner, databaseOwners } from '@cardinal/contracts';

/** The first line of what follows from `libs/contracts/src/services.ts` as a whole. */
export const renderedHeader =
  'Rendered from libs/contracts/src/services.ts: npx vitest run rendered -u writes it anew.';

/** Lines between `# rendered: <name>` and `# end of <name>`, with any sign of a comment. */
const regions = /^( *)(#|--) rendered: ([\w-]+)\n(?:.*\n)*?^ *\2 end of \3$/gm;

/** Lines of a text; what is false is left out. */
export const lines = (...parts: (string | false | readonly string[])[]): string =>
  parts
    .flat()
    .filter((part) => part !== false)
    .join('\n');

/**
 * A hand-written file with its rendered regions replaced.
 * @param made what stands in each region, without indentation
 * @throws Error where the file has a region that is not made, or lacks one that is
 */
export const withRendered = (file: string, made: Record<string, string>): string => {
  const left = new Set(Object.keys(made));
  const text = readFileSync(file, 'utf8').replaceAll(regions, (_, indent: string, sign: string, name: string) => {
    left.delete(name);
    const body = made[name];
    if (body === undefined) throw new Error(`${file}: nothing makes ${name}`);
    return [`${sign} rendered: ${name}`, ...body.split('\n'), `${sign} end of ${name}`]
      .map((line) => (line === '' ? '' : indent + line))
      .join('\n');
  });
  if (left.size > 0) throw new Error(`${file} has no place for ${[...left].join()}`);
  return text;
};

/** Of one process (`DATABASE_POOL_SIZE`). */
const poolSize = 10;

/**
 * How many connections Postgres has to allow, in hundreds: the pools of all processes, of which a rollout starts one more of
 * each service, two of each migration, those of the doctor and of superusers.
 * @param processesOf how many a service may have
 */
export const connectionsFor = (processesOf: (owner: DatabaseOwner) => number): number => {
  const pools = databaseOwners.map((owner) => (processesOf(owner) + 1) * poolSize);
  const others = databaseOwners.length * 2 + 13;
  return Math.ceil(pools.reduce((sum, one) => sum + one, others) / 100) * 100;
};
