import { readFile, writeFile } from 'node:fs/promises';
import { type Placed, placeOf } from '@cardinal/contracts';

// Types of schemas are written here because openapi-typescript needs a compiler API that TypeScript 7 no longer has.

interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: string | boolean;
  enum?: string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  description?: string;
}

interface Parameter {
  $ref?: string;
  in?: string;
  name?: string;
  description?: string;
  schema?: Schema;
}

interface Content {
  content?: Partial<Record<'application/json' | 'text/event-stream', { schema: Schema }>>;
}

interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: Content & { required?: boolean };
  responses: Record<string, Content>;
}

/** The parts of an OpenAPI document that are read here. */
export interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

const doc = (text: string | undefined, indent = '') =>
  text ? `${indent}/** ${text.replaceAll('*/', '*\\/').replaceAll('\n', ' ')} */\n` : '';

/** `ErrorBody` is no `Error`: that name is JavaScript's. */
const nameOf = (ref: string) => (ref.split('/').at(-1) ?? '').replace(/^Error$/, 'ErrorBody');

const fieldsOf = ({ properties = {}, required = [] }: Schema, indent: string) =>
  Object.entries(properties)
    .map(([name, schema]) => {
      const isRequired = required.includes(name);
      const type = `${typeOf(schema, `${indent}  `)}${isRequired ? '' : ' | undefined'}`;
      return `${doc(schema.description, `${indent}  `)}${indent}  ${name}${isRequired ? '' : '?'}: ${type};\n`;
    })
    .join('');

const typeOf = (schema: Schema, indent = ''): string => {
  if (schema.$ref) return nameOf(schema.$ref);
  if (schema.const !== undefined) return typeof schema.const === 'string' ? `'${schema.const}'` : String(schema.const);
  if (schema.enum) return schema.enum.map((value) => `'${value}'`).join(' | ');
  const either = schema.anyOf ?? schema.oneOf;
  // Of an object it says which fields go together.
  if (either && !schema.properties) return [...new Set(either.map((each) => typeOf(each, indent)))].join(' | ');
  const { type, properties, items = {}, additionalProperties: others } = schema;
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one }, indent)).join(' | ');
  if (properties) return `{\n${fieldsOf(schema, indent)}${indent}}`;
  if (type === 'object') return `Record<string, ${typeof others === 'object' ? typeOf(others, indent) : 'unknown'}>`;
  if (type === 'array') return `Array<${typeOf(items, indent)}>`;
  return type === 'integer' ? 'number' : (type ?? 'unknown');
};

const camel = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** An operation as the rule of names takes it (`placeOf`). */
const placed = (path: string, method: string, { operationId, responses }: Operation): Placed => ({
  id: operationId,
  method: method.toUpperCase() as Placed['method'],
  path: path.replace(/\{(\w+)\}/g, ':$1'),
  isStream: Object.values(responses).some(({ content }) => content?.['text/event-stream']),
});

const schemaOf = ({ content }: Content) => content?.['application/json']?.schema;

const resultOf = ({ responses }: Operation) => {
  const [success] = Object.entries(responses).filter(([status]) => status < '400' && status !== '304');
  const [status = '', response = {}] = success ?? [];
  if (status.startsWith('3')) return { kind: 'content', type: 'Promise<Download>' };
  const told = response.content?.['text/event-stream']?.schema;
  if (told) return { kind: 'stream', type: `AsyncGenerator<${typeOf(told)}, void, undefined>` };
  const { data, page } = schemaOf(response)?.properties ?? {};
  if (!data) return { kind: 'nothing', type: 'Promise<void>' };
  if (page) return { kind: 'list', type: `Listing<${typeOf(data.items ?? {})}>` };
  return { kind: 'data', type: `Promise<${typeOf(data)}${responses['204'] ? ' | null' : ''}>` };
};

// In a URL a flag is text, and a list is one parameter for each value.
const queryType = (schema: Schema = {}): string => {
  if (schema.type === 'array') return `${typeOf(schema.items ?? {})} | ${typeOf(schema)}`;
  return schema.enum?.join() === 'true,false' ? 'boolean' : typeOf(schema);
};

const methodOf = (path: string, method: string, operation: Operation, all: Placed[]) => {
  const parameters = operation.parameters ?? [];
  const refers = (name: string) => parameters.some(({ $ref }) => $ref?.endsWith(`/${name}`));
  const { kind, type } = resultOf(operation);
  const { group, name } = placeOf(placed(path, method, operation), all);
  const query = parameters.filter((each) => each.in === 'query' && !['limit', 'cursor'].includes(each.name ?? ''));
  const body = operation.requestBody && schemaOf(operation.requestBody);
  const isVersioned = refers('IfMatch');
  const hasKey = refers('IdempotencyKey');
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, id = ''], n, { length }) =>
    isVersioned && n === length - 1 ? `${camel(id.replace(/_id$/, ''))}: Versioned` : `${camel(id)}: string`,
  );
  const queryFields = query.map(
    (each) => `${doc(each.description, '      ')}      ${each.name}?: ${queryType(each.schema)} | undefined;\n`,
  );
  const optionsOf = () => {
    if (hasKey) return 'PostOptions';
    if (kind === 'list') return 'ListOptions';
    return method === 'patch' && isVersioned ? 'PatchOptions' : 'CallOptions';
  };
  const args = [
    ...ids,
    ...(body ? [`body${operation.requestBody?.required ? '' : '?'}: ${typeOf(body)}`] : []),
    ...(query.length > 0 ? [`query?: {\n${queryFields.join('')}    }`] : []),
    `options?: ${optionsOf()}`,
  ];
  const isStream = kind === 'stream';
  if (isStream) args.splice(0, Number.POSITIVE_INFINITY, `options?: FollowOptions & {\n${queryFields.join('')}    }`);
  const flags = { isVersioned, hasKey, hasBody: body !== undefined, hasQuery: query.length > 0 };
  const set = Object.entries(flags).flatMap(([flag, isSet]) => (isSet ? [`${flag}: true`] : []));
  const facts = [`id: '${operation.operationId}'`, `method: '${method.toUpperCase()}'`, `path: '${path}'`, ...set];
  const text = [operation.summary, operation.description].filter(Boolean).join('. ');
  // The same read; its answer is null where nothing changed.
  const conditional =
    refers('IfNoneMatch') && kind === 'data'
      ? `${doc(`${operation.summary}, unless it is still as last read: then null`, '    ')}    ${name}(${[...args.slice(0, -1), 'options: ConditionalOptions'].join(', ')}): ${type.replace(/>$/, ' | null>')};\n`
      : '';
  return {
    group,
    name,
    signature: `${conditional}${doc(text, '    ')}    ${name}(${args.join(', ')}): ${type};\n`,
    row: `    ${name}: { ${facts.join(', ')}, result: '${kind}' },\n`,
  };
};

/** Writes the client's types and the table of its methods. @throws Error where two operations would have one name */
export const operationsSource = (document: Document): string => {
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) =>
      `${doc(schema.description)}export ${schema.properties ? `interface ${nameOf(name)}` : `type ${nameOf(name)} =`} ${typeOf(schema)}\n`,
  );
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const all = operations.map(({ path, method, operation }) => placed(path, method, operation));
  const methods = operations.map(({ path, method, operation }) => methodOf(path, method, operation, all));
  const names = methods.map(({ group, name }) => `${group}.${name}`);
  const twice = names.find((name, n) => names.indexOf(name) !== n);
  if (twice) throw new Error(`two operations would be ${twice}`);
  const codes = document.components.schemas.Error?.properties?.error?.properties?.code?.enum;
  if (!codes) throw new Error('the document declares no codes of errors');
  const groups = [...new Set(methods.map(({ group }) => group))];
  const inGroups = (part: 'signature' | 'row', end: string) =>
    groups.map((group) => {
      const own = methods.filter((each) => each.group === group).map((each) => each[part]);
      return `  ${group}: {\n${own.join('')}  }${end}\n`;
    });
  return `// Made by libs/client/generate.ts from services/gateway/openapi.json: npm run openapi
import type { CallOptions, ConditionalOptions, Download, FollowOptions, Listing, ListOptions, PatchOptions, PostOptions, Versioned } from './options.ts';

${schemas.join('\n')}
/** Every operation of the API, by resource. */
export interface Operations {
${inGroups('signature', ';').join('')}}

/** Codes of errors that this version knows. */
export const errorCodes: ReadonlySet<string> = new Set([${codes.map((code) => `'${code}'`).join(', ')}]);

/** How each is asked for. */
export const operations = {
${inGroups('row', ',').join('')}} as const;
`;
};

if (import.meta.main) {
  const read = await readFile(new URL('../../services/gateway/openapi.json', import.meta.url), 'utf8');
  await writeFile(new URL('src/operations.gen.ts', import.meta.url), operationsSource(JSON.parse(read)));
}
