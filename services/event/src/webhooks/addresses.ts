import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
/** A range of addresses, as CIDR writes it. */
export type Network = [Address, number];

/** Reads networks such as `10.2.0.0/16, fd00::/8`. @throws Error for what is none */
export const readNetworks = (list: string): Network[] =>
  list
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
    .map((part) => ipaddr.parseCIDR(part));

const isIn = (address: Address, [network, bits]: Network): boolean =>
  address.kind() === network.kind() && address.match(network, bits);

/** The only IPv6 addresses that are given out to be reached from everywhere (RFC 4291, 2.4; IANA). */
const globalUnicast = ipaddr.parseCIDR('2000::/3');
/** Addresses of public ranges behind which a cloud answers its own machines: Azure's WireServer. */
const ofClouds = ['168.63.129.16'];

const isPublic = (address: Address): boolean => {
  if (ofClouds.includes(address.toString())) return false;
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || isIn(address, globalUnicast));
};

/**
 * Makes the rule which addresses may be connected to: those of the public Internet, not what is special (RFC 6890), private
 * or an IPv4 address in disguise, but what the operator allows in spite of it.
 */
export const createAddressRule = (allowed: readonly Network[]) => {
  return (text: string): boolean => {
    if (!ipaddr.isValid(text)) return false;
    // An IPv4-mapped address reaches the IPv4 address.
    const address = ipaddr.process(text);
    return isPublic(address) || allowed.some((network) => isIn(address, network));
  };
};
