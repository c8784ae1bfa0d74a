import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
/** An address range in CIDR notation: address and prefix length. */
export type Network = [Address, number];

/** Parses a list of networks such as `10.2.0.0/16, fd00::/8`. @throws Error if a part is not CIDR notation */
export const parseNetworks = (list: string): Network[] =>
  list
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
    .map((part) => ipaddr.parseCIDR(part));

const isIn = (address: Address, [network, bits]: Network): boolean =>
  address.kind() === network.kind() && address.match(network, bits);

/** The only IPv6 range that IANA allocates for global unicast (RFC 4291, 2.4). */
const globalUnicast = ipaddr.parseCIDR('2000::/3');
/** Metadata services of clouds at addresses within public ranges: Azure's WireServer. */
const cloudMetadata = ['168.63.129.16'];

const isPublic = (address: Address): boolean => {
  if (cloudMetadata.includes(address.toString())) return false;
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || isIn(address, globalUnicast));
};

/**
 * Creates the check whether the sender may connect to an address (CONTRACT 10.4). Allowed are public addresses, and those of the
 * given networks. Refused are special-purpose addresses (RFC 6890), private ones, and IPv6 forms that embed an IPv4 address.
 * @returns a function that takes an address as text; false for text that is not an address
 */
export const createAddressRule = (allowed: readonly Network[]) => {
  return (text: string): boolean => {
    if (!ipaddr.isValid(text)) return false;
    // Checks an IPv4-mapped IPv6 address as the IPv4 address that it reaches.
    const address = ipaddr.process(text);
    return isPublic(address) || allowed.some((network) => isIn(address, network));
  };
};
