import { tmpdir } from 'node:os';
import { type DatabaseOwner, databaseOwners } from '@cardinal/contracts';
import { processConfig } from '@cardinal/host';
import { configSchemas } from '@cardinal/servers';
import { z } from 'zod';

/** What JSON Schema says of a variable. */
interface Told {
  type?: string;
  format?: string;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  default?: unknown;
  description?: string;
}

const units: [RegExp, string][] = [
  [/_MS$/, 'ms'],
  [/_S$/, 's'],
  [/_HOURS$/, 'h'],
  [/BYTES/, 'bytes'],
];

const bounds = ({ minimum, maximum }: Told) => {
  const isBounded = maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER;
  return isBounded ? ` ${minimum} to ${maximum}` : ` from ${minimum}`;
};

const takes = (name: string, told: Told, byDefault: unknown) => {
  if (told.enum) return told.enum.map((one) => `\`${one}\``).join(', ');
  if (typeof byDefault === 'boolean') return '`true`, `false`';
  if (told.type === 'integer' || told.type === 'number') {
    const unit = units.find(([ending]) => ending.test(name))?.[1];
    return `${told.type}${bounds(told)}${unit ? `, ${unit}` : ''}`;
  }
  return told.format === 'uri' || name.endsWith('_URL') ? 'URL' : 'text';
};

const defaultOf = (value: unknown) => {
  if (value === undefined) return '';
  if (value === '') return 'none';
  return `\`${String(value).replace(tmpdir(), '$TMPDIR')}\``;
};

/** A row for each variable of a schema but those of another table. */
const table = (schema: z.ZodObject, without: ReadonlySet<string> = new Set()): string => {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' });
  const rows = Object.entries(schema.shape)
    .filter(([name]) => !without.has(name))
    .map(([name, type]) => {
      const told = properties[name] as Told;
      if (!told.description) throw new Error(`${name} has no description: say in its schema what it is for`);
      const byDefault = told.default ?? z.safeParse(type, undefined).data;
      const start = required.includes(name) ? '**required**' : defaultOf(byDefault);
      return `| \`${name}\` | ${takes(name, told, byDefault)} | ${start} | ${told.description} |`;
    });
  if (rows.length === 0) return 'None of its own.';
  return ['| variable | takes | default | |', '| --- | --- | --- | --- |', ...rows].join('\n');
};

/** Every variable by service, as `deploy/variables.md` has them. */
export const variablesPage = async (): Promise<string> => {
  const schemas = await configSchemas();
  const anyOwner = schemas[databaseOwners[0] as DatabaseOwner];
  const [common, others] = [new Set<string>(), new Set<string>()];
  for (const name of Object.keys(anyOwner.shape)) {
    (databaseOwners.every((owner) => name in schemas[owner].shape) ? common : others).add(name);
  }
  const own = databaseOwners.map((owner) => `## ${owner}\n\n${table(schemas[owner], common)}\n`);
  return `# Variables

Written by the tests out of each service's \`src/config.ts\`: \`npx vitest run deploy/local/test/settings -u\`.

A variable that is set but empty counts as not set. Where the environment is wrong, a service names every problem at once,
one line each, and exits with 1. Certificates of your own authority: \`NODE_EXTRA_CA_CERTS\`; credentials of a bucket: those
of the AWS SDK, \`AWS_…\`. How to replace a secret without a failed request: [rotation.md](rotation.md); whose tokens are
taken: [identity.md](identity.md).

## gateway

${table(schemas.gateway)}

## Every service with a database: ${databaseOwners.join(', ')}

${table(anyOwner, others)}

${own.join('\n')}
## All services in one process

A variable of one service has its name before it (\`CARD_DATABASE_URL\`, \`GATEWAY_NATS_URL\`) and goes before one that all
share (\`LOG_LEVEL\`); \`DATABASE_URL\` is never shared. The ports of health and metrics of each service are not used. The
process itself takes:

${table(processConfig)}
`;
};
