/** The compared parts of an OpenAPI document. */
export interface Document {
  info: { version: string; description?: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { properties?: object }> };
}

interface Operation {
  operationId: string;
  tags: string[];
  parameters: { name?: string; $ref?: string }[];
  responses: Record<string, { $ref?: string }>;
}

const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      address: `${method.toUpperCase()} ${path}`,
    })),
  );

const code = (text: string) => `\`${text}\``;
const chapter = (heading: string, lines: string[]) => (lines.length > 0 ? [`### ${heading}`, lines.join('\n')] : []);
const namesOf = ({ parameters }: Operation) =>
  parameters.map(({ name, $ref }) => name ?? $ref?.split('/').at(-1) ?? '');
const without = (all: readonly string[], known: readonly string[]) => all.filter((one) => !known.includes(one));

/** Operations that the release lacked, by tag. */
const newOperations = (before: Document, now: Document): string[] => {
  const known = operationsOf(before).map(({ operationId }) => operationId);
  const added = operationsOf(now).filter(({ operationId }) => !known.includes(operationId));
  const byTag = Map.groupBy(added, ({ tags }) => tags[0] ?? '');
  return [...byTag].map(([tag, ones]) => `- ${tag}: ${ones.map(({ address }) => code(address)).join(', ')}`);
};

/** Parameters and statuses that operations of the release lacked. */
const changedOperations = (before: Document, now: Document): string[] => {
  const former = new Map(operationsOf(before).map((one) => [one.operationId, one]));
  return operationsOf(now).flatMap((operation) => {
    const known = former.get(operation.operationId);
    if (!known) return [];
    const parameters = without(namesOf(operation), namesOf(known));
    const statuses = without(Object.keys(operation.responses), Object.keys(known.responses));
    const added = [...parameters, ...statuses];
    return added.length > 0 ? [`- ${code(operation.address)}: ${added.map(code).join(', ')}`] : [];
  });
};

/** Fields that schemas of the release lacked. */
const newFields = (before: Document, now: Document): string[] =>
  Object.entries(now.components.schemas).flatMap(([name, { properties = {} }]) => {
    const known = before.components.schemas[name];
    const fields = known ? without(Object.keys(properties), Object.keys(known.properties ?? {})) : [];
    return fields.length > 0 ? [`- ${code(name)}: ${fields.map(code).join(', ')}`] : [];
  });

const errorsOf = (document: Document) =>
  operationsOf(document).flatMap(({ responses }) =>
    Object.entries(responses).flatMap(([status, { $ref }]) => ($ref ? [`${status} ${$ref.split('/').at(-1)}`] : [])),
  );

/** Errors that no operation of the release answered. */
const newErrors = (before: Document, now: Document): string[] =>
  [...new Set(without(errorsOf(now), errorsOf(before)))].map((error) => `- ${code(error.toLowerCase())}`);

/**
 * A document's additions since a release, as a chapter; empty without any.
 * @returns Markdown, without an empty line at either end
 */
export const changesBetween = (before: Document, now: Document): string => {
  const chapters = [
    ...chapter('New operations', newOperations(before, now)),
    ...chapter('Operations that take or answer more', changedOperations(before, now)),
    ...chapter('New fields', newFields(before, now)),
    ...chapter('New errors', newErrors(before, now)),
  ];
  return chapters.length > 0 ? [`## Changes since ${before.info.version}`, ...chapters].join('\n\n') : '';
};
