import { sharedStack } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { type Route, routes } from '../routes/samples.ts';
import type { Answer, Body } from '../workspace.ts';
import { type Case, casesOf, type Subject, subjectOf } from './cases.ts';
import { describedOf } from './schemas.ts';

const stack = await sharedStack();

/** Refusals of values that a schema allows because it cannot express the rule; the field's description has the rule. */
const rules: { field: RegExp; says: RegExp }[] = [
  { field: /^column_id$/, says: /must be a column of a board that you see/ },
  { field: /^(before|after)_card_id$/, says: /must be a card of the same board/ },
  { field: /^(before|after)_subtask_id$/, says: /must be a subtask of the same card/ },
  { field: /^text$/, says: /must have at most 65536 bytes of UTF-8/ },
  { field: /^url$/, says: /must have neither user nor password|must have at most 2048 characters/ },
  { field: /^until$/, says: /must be greater than after/ },
  { field: /^expires_at$/, says: /must be (in the future|(a time, )?366 days away at most)/ },
  { field: /^cards\.0\.created_at$/, says: /must not be before 1970/ },
];
const applied = new Set<(typeof rules)[number]>();
const isRule = ({ field }: Case, { text }: Answer): boolean => {
  const rule = rules.find((one) => one.field.test(field) && one.says.test(text));
  if (rule) applied.add(rule);
  return rule !== undefined;
};

/** Operations that delete for good, or succeed once. */
const isOnce = ({ method, path, operationId }: Route) =>
  (method === 'DELETE' && /^\/\w+\/\{\w+\}$/.test(path)) || operationId === 'openWorkstream';

/** Learns from an answer which versions resources of the fixture have now. */
const learn = ({ fixture }: Subject, route: Route, { status, body }: Answer): void => {
  const resources = Object.values(fixture) as Body[];
  for (const one of [body?.data ?? []].flat() as Body[]) {
    const { id, version } = one?.data ?? one ?? {};
    const known = resources.find((resource) => id !== undefined && resource?.id === id);
    if (known && version !== undefined) known.version = version;
  }
  if (status !== 412) return;
  const named = route.params.at(-1)?.replace('_id', '') as keyof typeof fixture;
  const { current_version } = body.error.details;
  for (const one of [fixture[named], ...(named === 'workstream' ? [fixture.adopting] : [])])
    (one as Body).version = current_version;
};

/** Of a stream, which never ends, only the head is read. */
const send = ({ fixture }: Subject, { path, options }: ReturnType<Case['request']>, { isStream, method }: Route) =>
  fixture.client.send(isStream ? 'HEAD' : method, path, options);

/** Sends a case with the current version of its resource. */
const answerOf = async (subject: Subject, route: Route, one: Case): Promise<Answer> => {
  const first = await send(subject, one.request(subject), route);
  learn(subject, route, first);
  if (first.status !== 412 || one.field === 'If-Match') return first;
  const second = await send(subject, one.request(subject), route);
  learn(subject, route, second);
  return second;
};

const startsWith = (path: readonly unknown[], start: readonly unknown[]) =>
  start.every((name, at) => String(path[at]) === String(name));

/** Whether a refusal says which field is wrong. */
const isNamed = (one: Case, { status, body }: Answer, { isStream }: Route): boolean => {
  if (isStream) return status === 400;
  const { code, message, details } = body.error ?? {};
  if (one.in !== 'body') {
    const isUnreadable = message === `The ${one.in} must be UTF-8 text, percent-encoded`;
    return code === 'invalid_request' && (isUnreadable || message.includes(one.field));
  }
  const { path = [], value } = one;
  // The refusal of a missing field may name the field around it.
  const places = value === undefined ? path.map((_, at) => path.slice(0, at)) : [];
  const issues: Body[] = Array.isArray(details) ? details : [];
  return (
    code === 'validation_error' && issues.some((issue) => [path, ...places].some((at) => startsWith(issue.path, at)))
  );
};

/** What is wrong with an answer; undefined where nothing is. */
const faultOf = (route: Route, one: Case, answer: Answer): string | undefined => {
  const { status, body } = answer;
  const items = [body?.data ?? []].flat() as Body[];
  const worst = Math.max(status, ...items.map((item) => (item?.error ? item.status : 0)));
  if (worst >= 500) return `${worst}`;
  if (!describedOf(route.operationId).statuses.includes(status)) return `${status}, which is not declared`;
  if (one.isAllowed === false && !isNamed(one, answer, route)) return `${status}, but the value is not allowed`;
  const isRefused = (one.in === 'body' ? [400, 413, 415, 422] : [400]).includes(status);
  if (one.isAllowed && isRefused && !isRule(one, answer)) return `${status}, but the value is allowed`;
  return undefined;
};

const shown = (one: Case, fault: string, { text }: Answer) =>
  `${one.in} ${one.field} ${JSON.stringify(one.value)?.slice(0, 100)}: ${fault} ${text.slice(0, 300)}`;

/** Fields whose values are all on one side of the bounds: the test would show nothing. */
const oneSided = (cases: readonly Case[]) => {
  const sidesOf = (field: string) => new Set(cases.filter((one) => one.field === field).map((one) => one.isAllowed));
  const isIgnored = (field: string) => field === 'X-Request-Id';
  const fields = [...new Set(cases.filter(({ isAllowed }) => isAllowed !== undefined).map(({ field }) => field))];
  return fields.filter((field) => !isIgnored(field) && !(sidesOf(field).size > 1));
};

describe.concurrent('every field of every operation, on both sides of its bounds', () => {
  it.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', async (_, route) => {
    let subject = await subjectOf(stack, route);
    const faults: string[] = [];
    const cases = casesOf(route, subject);
    expect(oneSided(cases)).toEqual([]);
    for (const one of cases) {
      const answer = await answerOf(subject, route, one);
      const fault = faultOf(route, one, answer);
      if (fault) faults.push(shown(one, fault, answer));
      if (answer.status < 300 && isOnce(route)) subject = await subjectOf(stack, route);
      // A workspace has few webhooks.
      if (answer.status === 201 && route.operationId === 'createWebhook') {
        await subject.fixture.client.delete(`/webhooks/${answer.body.data.id}`, { ifMatch: 1 });
      }
    }
    expect(faults).toEqual([]);
  });
});

it('every rule that no schema says was met', () => {
  expect(rules.filter((rule) => !applied.has(rule))).toEqual([]);
});
