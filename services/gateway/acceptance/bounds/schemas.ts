import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import document from '../../openapi.json' with { type: 'json' };

/** What the document says of a field, a parameter or a body: JSON Schema 2020-12. */
export interface Schema {
  $ref?: string;
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  examples?: unknown[];
  default?: unknown;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  minProperties?: number;
  maxItems?: number;
}

/** A parameter of an operation. */
interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  schema: Schema;
}

/** What the document says of an operation. */
interface Described {
  operationId: string;
  parameters: (Parameter | { $ref: string })[];
  requestBody?: { content: { 'application/json': { schema: Schema } } };
  responses: Record<string, unknown>;
}

const parts = document as unknown as Record<string, unknown>;
const at = ($ref: string): unknown =>
  $ref
    .split('/')
    .slice(1)
    .reduce((part, name) => part[name] as Record<string, unknown>, parts);

/** The schema itself where another one refers to it. */
export const resolved = (schema: Schema): Schema => (schema.$ref ? resolved(at(schema.$ref) as Schema) : schema);

const moment = /^(\d{4})-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;
const [earliest, latest] = ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'].map((text) => Date.parse(text));
/** Days are those of the calendar: JavaScript makes the 30th of February one of March. */
const isDay = (day: string) => new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
const isTime = (text: string): boolean => {
  const before = text.toUpperCase().replace(/(T\d\d:\d\d):60/, '$1:59');
  const time = Date.parse(before);
  if (!moment.test(text) || Number.isNaN(time) || /T24/i.test(text) || !isDay(text.slice(0, 10))) return false;
  if (!(time >= (earliest ?? 0) && time <= (latest ?? 0))) return false;
  return before === text.toUpperCase() || new Date(time + 1_000).toISOString().slice(8, 19) === '01T00:00:00';
};

/** The formats, as the document's introduction says what they are. */
const formats: Record<string, (text: string) => boolean> = {
  uuid: (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
  'date-time': isTime,
  uri: (text) => /^https?:\/\/[^\s/\\@#]+[^\s#]*$/i.test(text) && URL.canParse(text),
};

const ajv = new Ajv2020({ strict: false, strictNumbers: true, formats, unicodeRegExp: true });
ajv.addSchema(document, 'document');
const compiled = new Map<Schema, ValidateFunction>();

/** Of the document's own, since a schema may refer to another one. */
const validatorOf = (schema: Schema): ValidateFunction => {
  const known = compiled.get(schema);
  if (known) return known;
  const text = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/');
  const validate = ajv.compile(JSON.parse(text));
  compiled.set(schema, validate);
  return validate;
};

/** Whether every text of a value is well-formed Unicode without NUL. */
export const isText = (value: unknown): boolean => {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  return typeof value !== 'object' || value === null || Object.values(value).every(isText);
};

/** Whether the document allows a value: by its schema, and every text is well-formed Unicode without NUL. */
export const allows = (schema: Schema, value: unknown): boolean => isText(value) && validatorOf(schema)(value);

const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods)) as unknown as Described[];

/** What an operation takes and answers, as the document says. */
export const describedOf = (operationId: string) => {
  const found = operations.find((one) => one.operationId === operationId);
  if (!found) throw new Error(`the document has no ${operationId}`);
  const parameters = found.parameters.map((one) => ('$ref' in one ? (at(one.$ref) as Parameter) : one));
  return {
    parameters,
    body: found.requestBody && resolved(found.requestBody.content['application/json'].schema),
    statuses: Object.keys(found.responses).map(Number),
  };
};
