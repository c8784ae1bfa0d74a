import type { Manifest } from './manifest.ts';

interface SchemaError {
  instancePath: string;
  keyword: string;
  params: object;
}
type Validate = ((data: unknown) => boolean) & { errors?: SchemaError[] | null };

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** The schemas of each group: of a package, by what their names begin with. Those of the API server are the rest. */
const schemasOf = (group: string): [from: string, prefix: string] => {
  switch (group) {
    case 'gateway.networking.k8s.io':
      return ['@kubernetes-models/gateway-api', 'IoK8sSigsGatewayApiApis'];
    case 'monitoring.coreos.com':
      return [
        '@kubernetes-models/prometheus-operator',
        'ComGithubPrometheusOperatorPrometheusOperatorPkgApisMonitoring',
      ];
    default:
      return ['kubernetes-models', `IoK8sApi${capitalized(group.split('.')[0] ?? '')}`];
  }
};

/** The validator of a kind, compiled out of the schemas of those that serve it. */
const validatorOf = async ({ apiVersion, kind }: Manifest): Promise<Validate> => {
  const [version = '', group = 'core'] = apiVersion.split('/').reverse();
  const [from, prefix] = schemasOf(group);
  // Not all of these packages export their schemas by name.
  const folder = new URL('_schemas/', import.meta.resolve(`${from}/package.json`));
  const { validate } = await import(new URL(`${prefix}${capitalized(version)}${kind}.js`, folder).href);
  return validate as Validate;
};

/** The same data; `unread` afterwards names each field that was not read. */
const watched = <Data>(root: Data) => {
  const lists: (() => string[])[] = [];
  const watch = (data: unknown, path: string): unknown => {
    if (data === null || typeof data !== 'object') return data;
    const seen = new Map<string | symbol, unknown>();
    if (!Array.isArray(data)) {
      lists.push(() =>
        Object.keys(data)
          .filter((key) => !seen.has(key))
          .map((key) => `${path}/${key}`),
      );
    }
    return new Proxy(data, {
      get(target, key) {
        if (!seen.has(key)) seen.set(key, watch(Reflect.get(target, key), `${path}/${String(key)}`));
        return seen.get(key);
      },
    });
  };
  return { data: watch(root, ''), unread: () => lists.flatMap((list) => list()) };
};

/**
 * What is wrong with an object by the schema of its kind. A validator passes over fields that it does not know, as the
 * API server does not: they are those that it never looks at.
 */
export const schemaProblems = async (manifest: Manifest): Promise<string[]> => {
  const validate = await validatorOf(manifest);
  const { data, unread } = watched(manifest);
  validate(data);
  const title = `${manifest.kind} ${manifest.metadata.name}`;
  return [
    ...(validate.errors ?? []).map(
      ({ instancePath, keyword, params }) => `${title}: ${instancePath} breaks ${keyword} ${JSON.stringify(params)}`,
    ),
    ...unread().map((path) => `${title}: ${path} is no field`),
  ];
};
