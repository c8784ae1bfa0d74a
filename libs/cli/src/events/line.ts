import { styleText } from 'node:util';
import type { Event } from '@cardinal/client/source';
import { visible } from '../print.ts';
import { brief } from '../tables.ts';

/** The most characters of a value that are shown. */
const longest = 40;

const shown = (value: unknown): string => {
  const text = visible(brief(value));
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
};

/** What a field is now. An event has the resource as it is read, where some fields have other names. */
const now = ({ data, card }: Event, field: string): unknown => {
  const value = (data as Record<string, unknown> | null)?.[field];
  return field === 'identifier' ? (card?.identifier ?? value) : value;
};

const isShort = (value: unknown) => value === null || ['string', 'number', 'boolean'].includes(typeof value);

/** What changed, in words: what a short field was and is, of others the name alone. */
const changes = (event: Event): string[] =>
  event.changed.map((field) => {
    const name = field.replace(/_id$/, '').replaceAll('_', ' ');
    const [before, after] = [event.previous[field], now(event, field)];
    // Positions mean nothing by themselves.
    if (field.endsWith('_id') || field === 'position' || before === undefined || !isShort(after)) return name;
    return `${name} ${shown(before) || 'none'} → ${shown(after) || 'none'}`;
  });

/** What a resource is called. */
const called = ({ data }: Event): string => {
  const { title, name, body, prefix } = (data ?? {}) as Record<string, unknown>;
  return shown(title ?? name ?? body ?? prefix ?? '');
};

const widestType = 'workstream.archived'.length;

/** An event in a line for a person: number, time (UTC, as all that is shown), type, card, what changed, what it is called. */
export const eventLine = (event: Event): string => {
  const dim = (text: string) => styleText('dim', text, { stream: process.stdout });
  const bold = (text: string) => styleText('bold', text, { stream: process.stdout });
  const what = [...changes(event), called(event) && `"${called(event)}"`].filter(Boolean).join(', ');
  const card = event.card?.identifier ?? '';
  const time = event.at.slice(0, 19).replace('T', ' ');
  const line = [
    dim(`${event.seq}  ${time}`),
    event.type.padEnd(widestType),
    bold(card) + ' '.repeat(Math.max(0, 9 - card.length)),
    what,
  ];
  return line.join('  ').trimEnd();
};
