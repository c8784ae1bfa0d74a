import { expect, it } from 'vitest';
import { isUsable } from './binary.ts';

it.each([
  ['nats-server: v2.9.25', false],
  ['nats-server: v1.99.0', false],
  ['nats-server: v2.10.0', true],
  ['nats-server: v2.11.0-RC.1\n', true],
  ['nats-server: v2.100.3', true],
  ['nats-server: v3.0.0', true],
  ['command not found', false],
  ['', false],
])('%s serves us: %s', (text, expected) => {
  expect(isUsable(text)).toBe(expected);
});
