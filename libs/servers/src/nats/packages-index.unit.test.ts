import { describe, expect, it } from 'vitest';
import { findPackage, hashInRelease, suitesOf } from './packages-index.ts';

const index = `Package: nats-server-extras
Version: 9.9
Filename: pool/wrong.deb
SHA256: ${'0'.repeat(64)}

Package: nats-server
Version: 2.15.1-1
Depends: libc6 (>= 2.34)
Filename: pool/main/n/nats-server/nats-server_2.15.1-1_amd64.deb
SHA256: ${'a'.repeat(64)}

Package: other
Version: 1
Filename: pool/other.deb
SHA256: ${'b'.repeat(64)}
`;

describe('findPackage', () => {
  it('takes the stanza of exactly that package', () => {
    expect(findPackage(index, 'nats-server')).toEqual({
      version: '2.15.1-1',
      filename: 'pool/main/n/nats-server/nats-server_2.15.1-1_amd64.deb',
      sha256: 'a'.repeat(64),
    });
  });

  it('finds the first and the last one, and none that is not there', () => {
    expect(findPackage(index, 'nats-server-extras')?.version).toBe('9.9');
    expect(findPackage(index, 'other')?.version).toBe('1');
    expect(findPackage(index, 'nats')).toBeUndefined();
  });

  it('takes none without a hash, which could not be checked', () => {
    expect(findPackage('Package: nats-server\nVersion: 1\nFilename: x.deb\n', 'nats-server')).toBeUndefined();
  });
});

describe('hashInRelease', () => {
  it('reads the SHA256 of a file, not its MD5', () => {
    const release = `Origin: Debian
MD5Sum:
 ${'1'.repeat(32)} 10 main/binary-amd64/Packages.gz
SHA256:
 ${'2'.repeat(64)} 10 main/binary-arm64/Packages.gz
 ${'3'.repeat(64)} 10 main/binary-amd64/Packages.gz
`;
    expect(hashInRelease(release, 'main/binary-amd64/Packages.gz')).toBe('3'.repeat(64));
    expect(hashInRelease(release, 'main/binary-riscv64/Packages.gz')).toBeUndefined();
  });
});

describe('suitesOf', () => {
  it("looks in newer suites than the machine's own, newest first, once per mirror", () => {
    const site = 'http://mirror.example/debian';
    const lines = [
      `${site} bookworm main`,
      `${site} bookworm-updates main`,
      `${site}-security bookworm-security main`,
      `${site} bookworm contrib`,
      '',
    ];
    expect(suitesOf(lines).map(({ suite }) => suite)).toEqual([
      'sid',
      'testing',
      'bookworm-backports',
      'bookworm',
      'bookworm-updates-backports',
      'bookworm-updates',
    ]);
  });

  it('looks in the development release on Ubuntu, where the package is in universe', () => {
    expect(suitesOf(['http://mirror.example/ubuntu noble main'])[0]).toEqual({
      site: 'http://mirror.example/ubuntu',
      suite: 'devel',
      component: 'universe',
    });
  });
});
