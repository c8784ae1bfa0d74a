import { readFile } from 'node:fs/promises';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import { describe, expect, it } from 'vitest';

/** Accepted findings: the rule, and the places where it may find something. */
const accepted = [
  // No request fits both: a card's id is a UUID, and neither `by-identifier` nor an identifier is one of the fixed words.
  {
    rule: 'no-ambiguous-paths',
    at: /^#\/paths\/~1cards~1(by-identifier~1\{identifier\}|\{card_id\}~1(identifiers|events))$/,
  },
  // "At most one of three" forbids pairs of properties; the rule looks for their definitions beside `required`.
  {
    rule: 'no-required-schema-properties-undefined',
    at: /^#\/components\/schemas\/\w+Input\/(properties\/move\/)?not\/anyOf\//,
  },
  // A download is a redirect to where the bytes are, and nothing else.
  { rule: 'operation-2xx-response', at: /^#\/paths\/~1files~1\{file_id\}~1content\/get\/responses$/ },
];

const file = new URL('../openapi.json', import.meta.url);

/** Findings of the recommended rules, and of those that check examples against their schemas. */
const lint = async (source: string) => {
  const config = await createConfig({
    extends: ['recommended'],
    rules: {
      'no-invalid-schema-examples': 'error',
      'no-invalid-parameter-examples': 'error',
      'no-invalid-media-type-examples': 'error',
    },
  });
  const problems = await lintFromString({ source, absoluteRef: file.pathname, config });
  return problems.map(({ ruleId, message, location }) => ({ rule: ruleId, message, at: location[0]?.pointer ?? '' }));
};

interface Problem {
  rule: string;
  at: string;
}
const isAccepted = (problem: Problem, among: { rule: string; at: RegExp }[] = accepted) =>
  among.some(({ rule, at }) => rule === problem.rule && at.test(problem.at));

const source = await readFile(file, 'utf8');

describe('the OpenAPI document, read by Redocly', () => {
  it('breaks no rule but where it may, and everywhere it may', async () => {
    const problems = await lint(source);
    expect(problems.filter((problem) => !isAccepted(problem))).toEqual([]);
    const unused = accepted.filter((one) => !problems.some(({ rule, at }) => rule === one.rule && one.at.test(at)));
    expect(unused).toEqual([]);
  });

  it('reports a broken rule', async () => {
    const document = JSON.parse(source);
    document.paths['/boards'].get.responses['429'] = { $ref: '#/components/responses/Unknown' };
    document.components.schemas.Board.examples[0].version = 'new';
    document.components.responses.Unused = { description: 'Of nothing.' };
    const found = (await lint(JSON.stringify(document))).filter((problem) => !isAccepted(problem));
    expect(new Set(found.map(({ rule }) => rule))).toEqual(
      new Set(['no-unresolved-refs', 'no-invalid-schema-examples', 'no-unused-components']),
    );
  });
});

/** Accepted findings of Spectral's rules for OpenAPI. */
const acceptedBySpectral = [
  // A contact is for the operator of Cardinal to name, not for its authors.
  { rule: 'info-contact', at: /^info$/ },
  // The rule is of 3.0, where only OAuth has scopes; since 3.1 every scheme has those that an operation needs.
  { rule: 'oas3-operation-security-defined', at: /^paths\..*\.security\.0\.bearer\.0$/ },
];

const lintBySpectral = async (text: string) => {
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: [[oas as RulesetDefinition, 'recommended']] });
  const problems = await linter.run(text);
  return problems.map(({ code, message, path }) => ({ rule: String(code), message, at: path.join('.') }));
};

describe('the OpenAPI document, read by Spectral', () => {
  it('breaks no rule but where it may', async () => {
    const problems = await lintBySpectral(source);
    expect(problems.filter((problem) => !isAccepted(problem, acceptedBySpectral))).toEqual([]);
    const unused = acceptedBySpectral.filter((one) => !problems.some((problem) => isAccepted(problem, [one])));
    expect(unused).toEqual([]);
  });

  it('reports a broken rule', async () => {
    const document = JSON.parse(source);
    delete document.paths['/boards'].get.operationId;
    document.paths['/boards'].get.tags = ['Unknown'];
    const found = (await lintBySpectral(JSON.stringify(document))).map(({ rule }) => rule);
    expect(found).toEqual(expect.arrayContaining(['operation-operationId', 'operation-tag-defined']));
  });
});
