/**
 * The addresses that the service may connect to. A caller that can choose a target (a webhook's URL, a DNS name, a redirect) must not
 * reach the machine itself or its network, where services often trust every caller.
 */
import { BlockList, isIP } from 'node:net';

/** Not on the public internet, according to the IANA registries of special-purpose addresses. */
const SPECIAL_IPV4 = [
  '0.0.0.0/8', // unspecified, this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, and cloud metadata services
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
];
/**
 * All public IPv6 addresses lie in this range: loopback, link-local, unique-local, multicast, IPv4-mapped, IPv4-compatible and NAT64
 * addresses do not.
 */
const GLOBAL_IPV6 = '2000::/3';
/** Within the global range: tunnels with an embedded IPv4 address, documentation, protocol assignments. */
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const globalIpv6 = rangesOf([GLOBAL_IPV6]);
const special = rangesOf([...SPECIAL_IPV4, ...SPECIAL_IPV6]);

export function isPublic(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !special.check(address, 'ipv4');
  return family === 6 && globalIpv6.check(address, 'ipv6') && !special.check(address, 'ipv6');
}

/** A list of addresses and ranges (`10.1.2.3`, `10.0.0.0/8`, `fd00::/8`). Throws a `RangeError` that names an invalid entry. */
export function rangesOf(list: readonly string[]): BlockList {
  const ranges = new BlockList();
  for (const entry of list) {
    const [address = '', prefix, ...more] = entry.split('/');
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    const bits = family === 'ipv4' ? 32 : 128;
    const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1;
    // An address with a zone (`fe80::1%eth0`) is local to one machine and not a range.
    if (isIP(address) === 0 || address.includes('%') || more.length > 0 || length < 0 || length > bits) {
      throw new RangeError(`“${entry}” is neither an address nor a range of addresses.`);
    }
    ranges.addSubnet(address, length, family);
  }
  return ranges;
}

export function isIn(ranges: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && !address.includes('%') && ranges.check(address, family === 4 ? 'ipv4' : 'ipv6');
}
