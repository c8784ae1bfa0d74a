import { describe, expect, it } from 'vitest';
import { createAddressRule, parseNetworks } from './addresses.ts';

const isAllowed = createAddressRule([]);

describe('createAddressRule', () => {
  it.each(['8.8.8.8', '1.1.1.1', '::ffff:8.8.8.8', '2606:4700:4700::1111', '2a00:1450:4001:81b::200e'])(
    'allows %s',
    (address) => {
      expect(isAllowed(address)).toBe(true);
    },
  );

  it.each([
    ...[
      '127.0.0.1',
      '127.255.255.254',
      '0.0.0.0',
      '0.1.2.3',
      '10.0.0.1',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
    ],
    ...[
      '169.254.169.254',
      '100.64.0.1',
      '100.100.100.200',
      '192.0.0.192',
      '198.18.0.1',
      '224.0.0.1',
      '255.255.255.255',
    ],
    ...['192.0.2.1', '198.51.100.1', '203.0.113.1', '240.0.0.1', '168.63.129.16'],
    ...[
      '::',
      '::1',
      '::ffff:127.0.0.1',
      '::ffff:10.0.0.1',
      '::ffff:a9fe:a9fe',
      '::127.0.0.1',
      '::a00:1',
      '::ffff:0:10.0.0.1',
    ],
    ...['fe80::1', 'fc00::1', 'fd00:ec2::254', 'fec0::1', 'ff02::1', '64:ff9b::7f00:1', '64:ff9b:1::a00:1'],
    ...['2002:7f00:1::', '2002:a00:1::1', '2001:0:7f00:1::', '2001:db8::1', '3fff::1', '100::1', '5f00::1', '4000::1'],
    ...['fe80::1%eth0', '127.1', '0x7f000001', 'localhost', ''],
  ])('refuses %s', (address) => {
    expect(isAllowed(address)).toBe(false);
  });

  it('allows the networks of the operator', () => {
    const rule = createAddressRule(parseNetworks(' 10.2.0.0/16, fd00::/8 '));
    for (const address of ['10.2.3.4', '::ffff:10.2.3.4', 'fd12::1', '8.8.8.8']) expect(rule(address)).toBe(true);
    for (const address of ['10.3.0.1', '127.0.0.1', 'fe80::1']) expect(rule(address)).toBe(false);
    for (const list of ['10.2.0.0', '10.2.0.0/33', 'home']) expect(() => parseNetworks(list)).toThrow();
    expect(parseNetworks('')).toEqual([]);
  });
});
