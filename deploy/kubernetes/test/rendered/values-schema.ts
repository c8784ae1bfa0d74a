import { descriptionOf, type ServiceName, serviceNames } from '@cardinal/contracts';
import { configSchemas } from '@cardinal/servers';
import { z } from 'zod';

type Schema = Record<string, unknown>;

const text = { type: 'string' };
const flag = { type: 'boolean' };
const list = { type: 'array' };
const map = { type: 'object' };
const texts = { type: 'object', additionalProperties: text };
const among = (properties: Record<string, Schema>): Schema => ({
  type: 'object',
  properties,
  additionalProperties: false,
});

const tag = {
  type: 'string',
  pattern: '^(|[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})$',
  description: 'An exact tag; latest is refused.',
};
const image = among({
  repository: { ...text, description: 'Its name under image.registry, where it has another one there.' },
  tag,
  digest: { type: 'string', pattern: '^(|sha256:[0-9a-f]{64})$' },
});
const replicas = among({ min: { type: 'integer', minimum: 1 }, max: { type: 'integer', minimum: 1 } });
const quantities = { type: 'object', additionalProperties: { type: ['string', 'number'] } };
const resources = among({ requests: quantities, limits: quantities });
const fileOf = (key: string): Schema =>
  among({
    name: { ...text, description: 'Of the Secret or ConfigMap.' },
    kind: { enum: ['Secret', 'ConfigMap'] },
    key: { ...text, description: `${key} where it is left out.` },
  });

/** What the templates set themselves, and what only tests set. */
const ofTemplates = new Set(['NODE_ENV', 'DATABASE_URL', 'NATS_URL', 'NATS_CA', 'JWKS_FILE', 'FAILPOINT']);

/** What JSON Schema says of a variable: as YAML has it, and as a text (`--set`). `null` takes it out. */
const variable = ({ type, format, enum: values, minimum, maximum, description }: z.core.JSONSchema.BaseSchema) => {
  if (values) {
    const flags = values.includes('true') ? [true, false] : [];
    return { enum: [...values, ...flags, null], description };
  }
  if (type === 'integer' || type === 'number') {
    const most = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
    const pattern = type === 'integer' ? '^[0-9]+$' : '^[0-9]+(\\.[0-9]+)?$';
    return {
      type: [type, 'string', 'null'],
      pattern,
      ...(minimum !== undefined && { minimum }),
      ...(most !== undefined && { maximum: most }),
      description,
    };
  }
  const types = type === 'boolean' ? ['boolean', 'string', 'null'] : ['string', 'number', 'null'];
  return { type: types, ...(format === 'uri' && { pattern: '^[a-z0-9]+:' }), description };
};

const environmentOf = (name: ServiceName, schema: z.ZodObject): Schema => {
  const { listeners, secrets } = descriptionOf(name);
  const set = new Set([
    ...ofTemplates,
    ...listeners.flatMap(({ variables }) => [`${variables}HOST`, `${variables}PORT`]),
    ...secrets.flatMap((secret) => [secret.name, secret.accepted ?? '']),
  ]);
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input' });
  const own = Object.entries(properties).filter(([one]) => !set.has(one));
  return {
    ...among(Object.fromEntries(own.map(([one, says]) => [one, variable(says as z.core.JSONSchema.BaseSchema)]))),
    ...('STORAGE_URL' in properties && { patternProperties: { '^AWS_': { type: 'string' } } }),
  };
};

/** `chart/values.schema.json`: each value, and each variable as the service itself declares it (deploy/variables.md). */
export const valuesSchema = async (): Promise<string> => {
  const schemas = await configSchemas();
  const services = serviceNames.map((name) => [
    name,
    {
      description: descriptionOf(name).about,
      ...among({
        image,
        replicas,
        resources,
        env: environmentOf(name, schemas[name]),
        secret: text,
        egress: list,
        serviceAccountAnnotations: texts,
      }),
    },
  ]);
  const server = { ca: fileOf('ca.crt'), port: { type: 'integer' }, peers: list };
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of Cardinal',
    ...among({
      image: among({
        registry: { type: 'string', pattern: '^(|[^/:]+(:[0-9]+)?(/.*[^/])?)$' },
        tag,
        pullSecrets: { type: 'array', items: text },
      }),
      local: flag,
      hosts: among({ api: text, files: text }),
      services: among(Object.fromEntries(services)),
      together: among({ enabled: flag, besideApart: flag, image, replicas, resources }),
      deploy: among({ image, secret: text }),
      nats: among(server),
      postgres: among({ tls: flag, ...server }),
      jwks: fileOf('jwks.json'),
      ingress: among({
        enabled: flag,
        className: text,
        apiTlsSecret: text,
        filesTlsSecret: text,
        apiAnnotations: texts,
        filesAnnotations: texts,
      }),
      gatewayApi: among({ parentRefs: list }),
      monitoring: among({ enabled: flag, labels: texts, dashboardLabels: texts, runbooks: text }),
      bucketBackup: among({
        enabled: flag,
        schedule: text,
        image: text,
        to: { type: 'string', pattern: '^(|s3://[^/].*[^/])$' },
        endpoint: text,
        region: text,
        secret: text,
        egress: list,
        serviceAccountAnnotations: texts,
      }),
      network: among({ policies: flag, clients: list, prometheus: list, egress: list }),
      pods: among({ annotations: texts, nodeSelector: texts, tolerations: list, priorityClassName: text }),
      extraEnv: { type: 'array', items: { ...map, required: ['name'] } },
      extraVolumes: list,
      extraVolumeMounts: list,
      global: map,
    }),
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
};
