import { declaredOperations, type HttpOperation, isIdentifier, resolveIdentifiers } from '@cardinal/contracts';
import type { CallToolResult, ToolAnnotations } from '@modelcontextprotocol/server';
import { type Answer, cutToSize, marked } from './answers.ts';
import { type Api, type Argument, bodyShapeOf, type Call, callOf, type Outcome, perform } from './calls.ts';
import { clearable, clearedBy, notesOfCleared, withCleared } from './clear.ts';
import { isUnset, meant, ofHosts } from './given.ts';
import { peopleIn, withUserIds } from './people.ts';
import { Refusal, refusalContent } from './refusals.ts';
import { argumentsOf, inputSchemaOf, type JsonSchema, shown, usualLimit, withoutNull } from './schemas.ts';

type Given = Record<string, unknown>;

const operations = new Map(declaredOperations.map(({ http }) => [http.id, http]));

/** @throws Refusal where there is none of that id */
export const operationOf = (id: unknown): HttpOperation => {
  const operation = operations.get(String(id));
  if (operation) return operation;
  throw new Refusal('not_found', `There is no operation ${id}; \`list_operations\` lists them`);
};

/** The hints about a call's effects, by its method and scope. */
const hintsOf = ({ method, isRead, scope }: HttpOperation): ToolAnnotations => ({
  readOnlyHint: isRead,
  destructiveHint: !isRead && (method === 'DELETE' || scope === 'kanban:admin'),
  idempotentHint: isRead || method !== 'POST',
  openWorldHint: false,
});

/** The result of a tool as text: its answer, or a refusal with the way out. */
export const resultOf = async (answer: () => Promise<Answer>): Promise<CallToolResult> => {
  try {
    return { content: [{ type: 'text', text: JSON.stringify(await answer()) }] };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { isError: true, content: [{ type: 'text', text: JSON.stringify({ error: refusalContent(error) }) }] };
  }
};

/** Puts the current ids in the place of identifiers that a body names: the API takes ids there. */
const withIds = async (api: Api, all: Map<string, Argument>, given: Given): Promise<Given> => {
  const named = [...all].filter(([name, { isCardOfBody }]) => isCardOfBody && isIdentifier(String(given[name])));
  if (named.length === 0) return given;
  const identifiers = named.map(([name]) => String(given[name]));
  const { data } = await perform(api, resolveIdentifiers.http, { params: {}, body: { identifiers } });
  const found = named.map(([name], at): [string, string] => {
    const id = (data as { card: { id: string } | null }[])[at]?.card?.id;
    if (id === undefined) throw new Refusal('not_found', `${name}: ${identifiers[at]} leads to no card`);
    return [name, id];
  });
  return { ...given, ...Object.fromEntries(found) };
};

/** Parsed arguments: those that are set, the fields to empty, and the fields that stay. */
interface Read {
  given: Given;
  clear: string[];
  unset: string[];
}

/**
 * Arguments as clients send them: null and an empty text are not set (CONTRACT 11.2).
 * @param emptiable the fields that `clear` may name
 * @throws Refusal for one that the tool does not have, and for a required one that is not set
 */
const readGiven = (all: Map<string, Argument>, emptiable: readonly string[], sent: Given): Read => {
  const read: Read = { given: {}, clear: [], unset: [] };
  const names = [...all.keys(), ...(emptiable.length > 0 ? ['clear'] : [])];
  for (const [name, value] of Object.entries(sent)) {
    const argument = all.get(name);
    if (name === 'clear' && emptiable.length > 0) read.clear = clearedBy(value);
    else if (!argument) {
      if (isUnset(value) || ofHosts.has(name)) continue;
      throw new Refusal('invalid_request', `${name}: is no argument; there are ${names.join(', ') || 'none'}`);
    } else if (isUnset(value) && argument.schema.safeParse(undefined).success) read.unset.push(name);
    else read.given[name] = meant(argument.schema, value);
  }
  for (const [name, { part }] of all) {
    const isMissing = part === 'params' && (typeof read.given[name] !== 'string' || read.given[name] === '');
    if (isMissing) throw new Refusal('invalid_request', `${name}: is required, as text`);
  }
  return read;
};

/** The call that arguments make. */
const callWith = (operation: HttpOperation, all: Map<string, Argument>, given: Given): Call => {
  const call = callOf(
    operation,
    Object.entries(given).flatMap(([name, value]) => {
      const argument = all.get(name);
      return argument ? [[argument, value] as const] : [];
    }),
  );
  return operation.reply.kind === 'page' ? { ...call, query: { limit: usualLimit, ...call.query } } : call;
};

/** The same of a tool that edits. @throws Refusal where it would change nothing */
const editWith = (operation: HttpOperation, call: Call, { clear, unset }: Read): Call => {
  const body = withCleared(operation.body, (call.body ?? {}) as Given, clear);
  if (Object.keys(body).length === 0 && unset.length > 0)
    throw new Refusal(
      'invalid_request',
      `nothing to change: null and empty texts are not set (${unset.join(', ')}); \`clear\` names what is to be emptied`,
    );
  return { ...call, body };
};

const notesOfEdit = ({ clear, unset }: Read): string[] => {
  const left = unset.filter((name) => !clear.includes(name) && !['version', 'idempotency_key'].includes(name));
  const note = `Not set, so left as they are: ${left.join(', ')}. \`clear\` empties.`;
  return [...notesOfCleared(clear), ...(left.length > 0 ? [note] : [])];
};

/** The same with the names of its people. */
const answerOf = async (api: Api, operation: HttpOperation, { data, page, notes }: Outcome): Promise<Answer> => ({
  data,
  ...(await peopleIn(api, operation, data)),
  ...(page === undefined ? {} : { page }),
  notes,
});

/** What queries take in the place of a user. */
const wordsOfQueries = ['me', 'none'];

/** A call with the ids of the users that it names otherwise. */
export const withUsers = async (api: Api, call: Call): Promise<Call> => ({
  ...call,
  params: await withUserIds(api, call.params),
  ...(call.query && { query: await withUserIds(api, call.query, wordsOfQueries) }),
  ...(call.body === undefined ? {} : { body: await withUserIds(api, call.body as Given) }),
});

/**
 * Asks for an operation and cuts what it answers. A page that is too long is asked for again, shorter, because its cursor
 * leads on from its own end.
 */
export const answerTo = async (api: Api, operation: HttpOperation, call: Call): Promise<Answer> => {
  const first = await perform(api, operation, call);
  const { answer, left } = cutToSize(await answerOf(api, operation, first));
  const items = (answer.data as unknown[] | null)?.length;
  if (operation.reply.kind !== 'page' || !left.data || !items) return marked(answer);
  const again = await perform(api, operation, { ...call, query: { ...call.query, limit: items } });
  const notes = [...again.notes, `The page ends after ${items}, to keep this short.`];
  return marked(cutToSize(await answerOf(api, operation, { ...again, notes })).answer);
};

/** A resource with the lists that are answered with it. */
const answerWith = async (
  api: Api,
  operation: HttpOperation,
  along: [string, HttpOperation][],
  call: Call,
): Promise<Answer> => {
  const asked: [string, HttpOperation, Call][] = [
    ['data', operation, call],
    ...along.map(([name, of]): [string, HttpOperation, Call] => [
      name,
      of,
      { params: call.params, query: { limit: usualLimit } },
    ]),
  ];
  const outcomes = await Promise.all(
    asked.map(async ([name, of, its]) => ({ name, id: of.id, ...(await perform(api, of, its)) })),
  );
  const more = outcomes
    .filter(({ name, page }) => name !== 'data' && (page as { has_more?: boolean } | undefined)?.has_more)
    .map(({ name, id }) => `There are more \`${name}\`: \`call_operation\` with ${id} and a \`limit\` has them all.`);
  const parts = Object.fromEntries(outcomes.map(({ name, data }) => [name, data]));
  const people = await peopleIn(api, operation, parts);
  return marked(cutToSize({ ...parts, ...people, notes: [...outcomes.flatMap(({ notes }) => notes), ...more] }).answer);
};

/** A tool as it is listed, and its handler. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  annotations: ToolAnnotations;
  inputSchema: JsonSchema;
  call(api: Api, given: Given): Promise<CallToolResult>;
}

/** A tool in the form of the server's library. */
export const registrationOf = ({ title, description, annotations, inputSchema }: Tool) => ({
  title,
  description,
  annotations,
  inputSchema: shown(inputSchema),
});

const toolOf = (operation: HttpOperation, { name, along = {} }: NonNullable<HttpOperation['tool']>): Tool => {
  const { summary, description } = operation;
  const all = argumentsOf(operation);
  const isEdit = operation.method === 'PATCH';
  const emptiable = isEdit ? clearable(bodyShapeOf(operation.id, operation.body)) : [];
  const lists = Object.entries(along).map(([list, id]): [string, HttpOperation] => [list, operationOf(id)]);
  const answer = async (api: Api, sent: Given) => {
    const read = readGiven(all, emptiable, sent);
    const call = await withUsers(api, callWith(operation, all, await withIds(api, all, read.given)));
    if (lists.length > 0) return answerWith(api, operation, lists, call);
    if (!isEdit) return answerTo(api, operation, call);
    const answered = await answerTo(api, operation, editWith(operation, call, read));
    return { ...answered, notes: [...answered.notes, ...notesOfEdit(read)] };
  };
  const with_ = lists.length > 0 && `With its ${Object.keys(along).join(', ')}.`;
  return {
    name,
    title: summary,
    description: [`${summary}.`, description && withoutNull(description), with_].filter(Boolean).join(' '),
    annotations: hintsOf(operation),
    inputSchema: inputSchemaOf(all, emptiable),
    call: (api, given) => resultOf(() => answer(api, given)),
  };
};

/** The tools of the operations that have one of their own, in the order of the API's page. */
export const declaredTools: Tool[] = declaredOperations.flatMap(({ http }) =>
  http.tool ? [toolOf(http, http.tool)] : [],
);
