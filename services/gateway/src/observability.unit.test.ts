import { expect, test } from 'vitest';
import { addressOf } from './observability.ts';

test('requests count for an address, of IPv6 for its network of 64 bits', () => {
  expect(addressOf({ ip: '192.0.2.7' })).toBe('192.0.2.7');
  expect(addressOf({ ip: '::ffff:192.0.2.7' })).toBe('192.0.2.7');
  const network = addressOf({ ip: '2001:db8:0:1:a::1' });
  expect(addressOf({ ip: '2001:DB8::1:ffff:0:0:9' })).toBe(network);
  expect(addressOf({ ip: '2001:db8:0:2::1' })).not.toBe(network);
  expect(addressOf({ ip: 'fe80::1%eth0' })).toBe('fe80:0:0:0::/64');
  expect(addressOf({ ip: 'unknown' })).toBe('unknown');
});
