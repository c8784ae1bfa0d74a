import { describe, expect, it } from 'vitest';
import { isUsable, parseVersion } from './binary.ts';

describe('the version of nats-server', () => {
  it('is read from what the program prints', () => {
    expect(parseVersion('nats-server: v2.15.1')).toEqual([2, 15, 1]);
    expect(parseVersion('nats-server: v2.11.0-RC.1\n')).toEqual([2, 11, 0]);
    expect(parseVersion('command not found')).toBeUndefined();
  });

  it.each([
    ['nats-server: v2.9.25', false],
    ['nats-server: v1.99.0', false],
    ['nats-server: v2.10.0', true],
    ['nats-server: v2.100.3', true],
    ['nats-server: v3.0.0', true],
    ['', false],
  ])('%s serves us: %s', (text, expected) => {
    expect(isUsable(text)).toBe(expected);
  });
});
