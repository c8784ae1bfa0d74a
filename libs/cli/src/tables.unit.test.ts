import { boardMember, card, comment, declaredOperations, event, workstream } from '@cardinal/contracts';
import stringWidth from 'string-width';
import { expect, it } from 'vitest';
import type { z } from 'zod';
import { table } from './print.ts';
import { columnsOf, rowsOf } from './tables.ts';

const id = '0197c2f0-8d5e-7c41-9a3b-5f0c1d2e3a4b';
const headings = (schema: z.ZodType) => columnsOf(schema).map(({ heading }) => heading);

it('shows what a resource is called by first, and no id where a name exists', () => {
  expect(headings(card).slice(0, 4)).toEqual(['identifier', 'title', 'column', 'due date']);
  expect(headings(workstream).slice(0, 2)).toEqual(['prefix', 'name']);
  expect(headings(event).slice(0, 4)).toEqual(['seq', 'card', 'type', 'at']);
  for (const schema of [card, workstream])
    expect(headings(schema).filter((one) => / ids?$|^id$|by$/.test(one))).toEqual([]);
  // Nobody can say a comment but by its id, and a member is a user.
  expect(headings(comment).slice(0, 2)).toEqual(['id', 'body']);
  expect(headings(boardMember)).toContain('user');
});

it('has columns for whatever a list answers', () => {
  for (const { http } of declaredOperations.filter((one) => one.http.reply.kind === 'page')) {
    const { data } = (http.reply.body as z.ZodObject<{ data: z.ZodArray<z.ZodType> }>).shape;
    expect(columnsOf(data.element), http.id).not.toEqual([]);
  }
});

it('fits into a line, and counts characters by their width', () => {
  const items = ['日本語のタイトル'.repeat(12), 'Order the cake 🎂'].map((title, n) => ({
    id,
    type: 'card',
    identifier: `PAY-${n}`,
    title,
    priority: 'urgent',
    due_date: '2030-01-31T17:00:00.000Z',
    completed_at: null,
    subtask_total: 0,
    label_ids: [id],
    workstream: { id, name: 'Payments', prefix: 'PAY' },
  }));
  const rows = rowsOf(items, columnsOf(card), { width: 80, widthOf: stringWidth });
  expect(Object.keys(rows[0] ?? {})).toEqual(['identifier', 'title', 'due date', 'priority']);
  const lines = table(rows, 80);
  for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(80);
  const columnOf = (line: string, text: string) => stringWidth(line.slice(0, line.indexOf(text)));
  expect(lines[1]).toContain('…');
  expect(new Set(lines.slice(1).map((line) => columnOf(line, '2030-01-31 17:00'))).size).toBe(1);
});
