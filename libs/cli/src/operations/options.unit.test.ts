import { declaredOperations, getCard, listCards, patchCard } from '@cardinal/contracts';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Input, inputsOf, valuesOf } from './options.ts';
import { objectionTo, shapeOf } from './values.ts';

const operations = declaredOperations.map(({ http }) => http);
const namesOf = (all: Input[]) => all.map(({ name, stands }) => (stands === 'by place' ? `<${name}>` : `--${name}`));

it('gives each argument of an operation a name of its own, that the program has no other use for', () => {
  for (const operation of operations) {
    const names = namesOf(inputsOf(operation));
    expect(new Set(names).size, operation.id).toBe(names.length);
    const isOfCards = operation.query.shape.assignee_user_id !== undefined;
    const taken = isOfCards
      ? /^--(url|token|json|help|profile|limit|all|mine)$/
      : /^--(url|token|json|help|profile|limit|all)$/;
    for (const name of names) expect(name, operation.id).not.toMatch(taken);
  }
});

it('names what is given by its place, and options as one says them', () => {
  expect(namesOf(inputsOf(getCard.http))).toEqual(['<card>']);
  expect(namesOf(inputsOf(listCards.http))).toEqual(
    expect.arrayContaining(['--board', '--column', '--assignee', '--label', '--due-before', '--q']),
  );
});

it('takes every example of a declaration as the declaration takes it', () => {
  for (const operation of operations.filter(({ example }) => example !== undefined)) {
    const all = inputsOf(operation).filter(({ part }) => part === 'body');
    const said: Record<string, unknown> = {};
    for (const { field, shape, name } of all) {
      const value = (operation.example as Record<string, unknown>)[field];
      const texts = [value].flat().map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
      const attribute = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
      if (value === undefined) continue;
      if (shape.kind === 'flag') said[attribute] = value;
      else said[attribute] = shape.isList ? texts : typeof value === 'string' ? value : JSON.stringify(value);
    }
    const values = valuesOf(
      all,
      all.filter(({ stands }) => stands !== 'as option').map(() => undefined),
      said,
    );
    expect(Object.fromEntries(values.map(([{ field }, value]) => [field, value])), operation.id).toEqual(
      operation.example,
    );
  }
});

describe('a value', () => {
  it.each([
    [z.boolean().optional(), { kind: 'flag', isRequired: false }],
    [z.literal(true), { kind: 'flag' }],
    [z.int().min(1), { kind: 'number', isRequired: true }],
    [z.union([z.number(), z.enum(['start', 'end'])]), { kind: 'number' }],
    [z.union([z.uuid(), z.array(z.uuid())]).optional(), { kind: 'text', isList: true, isRequired: false }],
    [z.enum(['a', 'b']).nullable(), { kind: 'text', choices: ['a', 'b'], isNullable: true }],
    [z.array(z.object({ a: z.string() })), { kind: 'json', isList: false }],
    [z.object({ a: z.string() }).prefault({ a: 'x' }), { kind: 'json', isRequired: false }],
  ])('is given by its schema: %#', (schema, shape) => {
    expect(shapeOf(schema)).toMatchObject(shape);
  });

  it('is null where that clears it, and a text where it does not', () => {
    const all = inputsOf(patchCard.http);
    const values = valuesOf(all, ['PAY-7'], { title: 'null', dueDate: 'null' });
    expect(values.map(([{ field }, value]) => [field, value])).toEqual([
      ['card_id', 'PAY-7'],
      ['title', 'null'],
      ['due_date', null],
    ]);
  });

  it('is objected to with the first thing that is wrong', () => {
    expect(objectionTo(z.int().min(1), 0)).toMatchObject({ path: [] });
    expect(objectionTo(z.int().min(1), 1)).toBeUndefined();
  });
});
