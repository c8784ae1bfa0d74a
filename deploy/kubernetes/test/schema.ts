import type { Labels, Manifest } from './manifest.ts';

interface SchemaError {
  instancePath: string;
  keyword: string;
  params: object;
}
type Validate = ((data: unknown) => boolean) & { errors?: SchemaError[] | null };

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** The validator of a kind, compiled out of the API server's own schemas. */
const validatorOf = async ({ apiVersion, kind }: Manifest): Promise<Validate> => {
  const [version = '', group = 'core'] = apiVersion.split('/').reverse();
  const name = ['IoK8sApi', group.split('.')[0] ?? '', version, kind].map(capitalized).join('');
  const { validate } = await import(`kubernetes-models/_schemas/${name}`);
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
  // Long base64 is wrapped when it is rendered, which the API server takes and the validator does not.
  if (manifest.kind === 'Secret') {
    const secret = manifest as { data?: Labels };
    secret.data = Object.fromEntries(
      Object.entries(secret.data ?? {}).map(([key, value]) => [key, value.replaceAll('\n', '')]),
    );
  }
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
