import { apiPrefix, type HttpOperation } from '@cardinal/contracts';
import { usualOrigin } from './quick-start.ts';

/** An operation with an address and a body that it takes. */
interface Example {
  method: string;
  /** Under the API's prefix, ids filled in. */
  path: string;
  hasKey: boolean;
  hasVersion: boolean;
  /** As JSON; undefined where none is sent. */
  body: unknown;
  /** Whether it answers with a stream. */
  isStream: boolean;
}

const inShell = ({ method, path, hasKey, hasVersion, body, isStream }: Example): string =>
  [
    `curl${isStream ? ' -N' : ''}${method === 'GET' ? '' : ` -X ${method}`} "$API${path}"`,
    '-H "Authorization: Bearer $TOKEN"',
    ...(hasKey ? ['-H "Idempotency-Key: $(date +%s)-$RANDOM"'] : []),
    ...(hasVersion ? [`-H 'If-Match: "1"'`] : []),
    ...(body ? [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(body).replaceAll("'", `'\\''`)}'`] : []),
  ].join(' \\\n  ');

const inJavaScript = ({
  method,
  path,
  hasKey,
  hasVersion,
  body,
}: Example): string => `const api = '${usualOrigin}${apiPrefix}';
const response = await fetch(\`\${api}${path}\`, {
  method: '${method}',
  headers: {
    Authorization: \`Bearer \${token}\`,
${hasKey ? "    'Idempotency-Key': crypto.randomUUID(),\n" : ''}${hasVersion ? "    'If-Match': '\"1\"',\n" : ''}${body ? "    'Content-Type': 'application/json',\n" : ''}  },
${body ? `  body: JSON.stringify(${JSON.stringify(body)}),\n` : ''}});`;

const literal = (value: unknown): string =>
  JSON.stringify(value, null, 1)
    .replace(/\n\s*/g, ' ')
    .replace(/: (true|false|null)/g, (_, word: string) => `: ${{ true: 'True', false: 'False', null: 'None' }[word]}`);

const inPython = ({
  method,
  path,
  hasKey,
  hasVersion,
  body,
  isStream,
}: Example): string => `import requests${hasKey ? ', uuid' : ''}

api = "${usualOrigin}${apiPrefix}"
response = requests.request("${method}", f"{api}${path}", headers={
    "Authorization": f"Bearer {token}",
${hasKey ? '    "Idempotency-Key": str(uuid.uuid4()),\n' : ''}${hasVersion ? '    "If-Match": \'"1"\',\n' : ''}}${body ? `, json=${literal(body)}` : ''}${isStream ? ', stream=True' : ''})`;

/**
 * Code for an operation in three languages, as `x-codeSamples`, which reference pages show. Snippets that a page makes itself
 * would repeat the example of an idempotency key; these make a new key each time.
 */
export const snippetsOf = (operation: HttpOperation, ids: Record<string, string>) => {
  const { method, path, requires, reply, example: body } = operation;
  const example = {
    method,
    body,
    path: path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? ''),
    hasKey: requires.includes('Idempotency-Key'),
    hasVersion: requires.includes('If-Match'),
    isStream: reply.kind === 'stream',
  };
  return [
    { lang: 'Shell', label: 'curl', source: inShell(example) },
    { lang: 'JavaScript', label: 'fetch', source: inJavaScript(example) },
    { lang: 'Python', label: 'requests', source: inPython(example) },
  ];
};
