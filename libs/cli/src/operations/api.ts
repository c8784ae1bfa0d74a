import { CardinalError, createSender, type RawRequest } from '@cardinal/client/source';
import { apiPrefix, declaredOperations, type HttpOperation } from '@cardinal/contracts';
import { idempotencyKey as keySchema } from '@cardinal/mcp/calls';
import { type Command, InvalidArgumentError } from 'commander';
import { UsageError } from '../errors.ts';
import { clientOptions, type Session } from '../session.ts';
import { readBody } from './call.ts';
import { fieldsWithInput } from './input.ts';
import { inputsOf } from './options.ts';
import { pathOf } from './path.ts';
import { objectionTo, readValue } from './values.ts';

interface Options {
  body?: string;
  field: [name: string, value: string][];
  version?: string;
  idempotencyKey?: string;
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

const methodOf = (text: string) => {
  if (methods.includes(text.toUpperCase())) return text.toUpperCase();
  throw new InvalidArgumentError(`It must be one of ${methods.join(', ')}.`);
};

const field = (text: string, former: Options['field']): Options['field'] => {
  const [, name, value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError('It must be FIELD=VALUE.');
  return [...former, [name, value]];
};

/** The declared operation that a request is one of. A path may say what another one has as a parameter. */
const operationOf = (method: string, path: string): HttpOperation | undefined => {
  const [route = ''] = path.split('?');
  const matching = declaredOperations
    .map(({ http }) => http)
    .filter((one) => one.method === method && new RegExp(`^${one.path.replace(/:\w+/g, '[^/]+')}$`).test(route));
  return matching.find((one) => one.path === route) ?? matching.at(0);
};

/** Fields as an operation's body or query has them: numbers, flags and lists by its schema, texts where it is unknown. */
const valuesOf = (operation: HttpOperation | undefined, fields: Options['field']): Record<string, unknown> => {
  const all = operation ? inputsOf(operation) : [];
  const values: Record<string, unknown> = {};
  for (const [name, text] of fields) {
    const shape = all.find((input) => input.field === name && input.part !== 'params')?.shape;
    const isFlag = shape?.kind === 'flag' && /^(true|false)$/.test(text);
    const value = isFlag ? text === 'true' : shape ? readValue(`-f ${name}`, shape, text) : text;
    values[name] = shape?.isList ? [...((values[name] as unknown[] | undefined) ?? []), value].flat() : value;
  }
  return values;
};

const withQuery = (path: string, values: Record<string, unknown>): string => {
  const pairs = Object.entries(values).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, String(one)]),
  );
  return pairs.length > 0 ? `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(pairs)}` : path;
};

const requestOf = async (session: Session, method: string, given: string, options: Options): Promise<RawRequest> => {
  const path = pathOf(given);
  const operation = operationOf(method, path);
  if (operation?.reply.kind === 'stream') throw new UsageError(`${path} never ends; say "cardinal events --follow"`);
  const values = valuesOf(operation, await fieldsWithInput(options.field, options.body === '-'));
  const isQuery = method === 'GET';
  if (isQuery && options.body !== undefined) throw new UsageError('GET has no body; -f FIELD=VALUE adds to its query');
  const whole = options.body === undefined ? undefined : await readBody(options.body, session.directory);
  const hasBody = !isQuery && (whole !== undefined || options.field.length > 0);
  const { version, idempotencyKey } = options;
  if (version !== undefined && !/^[1-9]\d*$/.test(version))
    throw new UsageError('--version: must be a whole number from 1');
  const objection = objectionTo(keySchema, idempotencyKey);
  if (objection) throw new UsageError(`--idempotency-key: ${objection.message}`);
  const needsKey = operation?.requires.includes('Idempotency-Key') || idempotencyKey !== undefined;
  return {
    operation: operation?.id ?? 'api',
    method,
    path: isQuery ? withQuery(path, values) : path,
    headers: {
      ...(needsKey ? { 'idempotency-key': idempotencyKey ?? crypto.randomUUID() } : {}),
      ...(version === undefined ? {} : { 'if-match': `"${version}"` }),
    },
    ...(hasBody ? { body: { ...whole, ...values } } : {}),
  };
};

const show = (answer: unknown) => console.log(JSON.stringify(answer, null, 2));

/** `cardinal api`: any request. */
export const addApi = (program: Command, session: Session): void => {
  program
    .command('api')
    .summary('Ask the API for anything')
    .description('Sends a request to the API and prints the answer as JSON. Exits with 1 where it is refused.')
    .argument('<method>', methods.join(', '), methodOf)
    .argument('<path>', `below ${apiPrefix}, with its query: cards/PAY-7`)
    .option('--body <json>', 'what is sent: JSON, a file of it, or - for standard input')
    .option(
      '-f, --field <field=value>',
      'a field of the body, of a GET of its query; - is standard input; repeatable',
      field,
      [],
    )
    .option('--version <n>', 'the version that was read, for If-Match')
    .option(
      '--idempotency-key <text>',
      'a text of your own for this change; without it a new one is sent where it is needed',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  cardinal api GET cards/PAY-7\n  cardinal api PATCH cards/PAY-7 --version 3 -f priority=urgent',
    )
    .action(async (method: string, path: string, options: Options) => {
      const request = await requestOf(session, method, path, options);
      const send = createSender(clientOptions(session));
      try {
        const { status, headers, body } = await send(request);
        if (status === 302) show({ location: headers.get('location') });
        else if (body !== undefined) show(body);
      } catch (error) {
        // What refuses says so in JSON too; standard error has the way out.
        if (error instanceof CardinalError && error.status !== undefined && error.code !== 'unexpected_response') {
          const { code, message, details, requestId } = error;
          show({ error: { code, message, ...(details ? { details } : {}), request_id: requestId } });
        }
        throw error;
      }
    });
};
